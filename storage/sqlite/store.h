// The main store in one SQLite file `main.db`: a writer thread with group commit, and a pool of reading connections.
#ifndef BENCHWIRE_STORAGE_SQLITE_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "storage/sqlite/group_commit.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/store.h"

namespace benchwire::storage {

class SqliteTables;

class SqliteStore final : public Store {
 public:
  // Opens or creates `path` and brings its schema up to date. `after_commit` is called on the writer thread after each
  // commit.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& path, std::function<void()> after_commit);
  // Commits what is waiting.
  ~SqliteStore() override;

  absl::Status Read(const ReadFunction& function) const override;
  void WriteAsync(WriteFunction function, WriteCallback done) override;

 private:
  SqliteStore() = default;

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<SqliteTables> tables_;
  std::unique_ptr<ReaderPool<SqliteTables>> readers_;
  std::unique_ptr<GroupCommit> writer_;  // Last: its thread uses the others.
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_STORE_H_
