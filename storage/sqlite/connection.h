// One SQLite connection through SOCI: opening with the right settings, transactions, migrations. Belongs to one thread
// at a time.
#ifndef BENCHWIRE_STORAGE_SQLITE_CONNECTION_H_
#define BENCHWIRE_STORAGE_SQLITE_CONNECTION_H_

#include <soci/soci.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::storage {

enum class Access { kReadWrite, kReadOnly };

// A step of a schema, applied once, in order.
struct Migration {
  int number = 0;             // From 1.
  const char* sql = nullptr;  // Statements separated by `;`.
};

class Connection {
 public:
  // Opens or creates the database file. WAL, synchronous=FULL, no automatic checkpoints (the writer makes them).
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, Access access);

  soci::session& session() { return session_; }

  // Runs SQL that has no parameters and no rows.
  absl::Status Execute(const std::string& sql);

  // Applies what is missing, each migration in a transaction of its own. FAILED_PRECONDITION/NEWER_DATABASE: the file
  // was written by a newer version.
  absl::Status Migrate(const std::vector<Migration>& migrations);

  // Moves the write-ahead log into the file as far as no reader needs it; `truncate` also cuts the log, for which it
  // waits up to 100 ms for readers. Never fails for a busy reader.
  absl::Status Checkpoint(bool truncate);

  // Pages in the write-ahead log after this connection's latest commit or checkpoint.
  int64_t log_pages() const { return log_pages_; }
  // False also where the engine has rolled a transaction back by itself, as it may do on a full disk.
  bool in_transaction();

 private:
  Connection() = default;
  soci::session session_;
  int64_t log_pages_ = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_CONNECTION_H_
