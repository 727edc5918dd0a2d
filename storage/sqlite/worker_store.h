// WorkerStore over one SQLite connection.
#ifndef BENCHWIRE_STORAGE_SQLITE_WORKER_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_WORKER_STORE_H_

#include "storage/sqlite/statement.h"
#include "storage/worker_store.h"

namespace benchwire::storage {

class SqliteWorkerStore final : public WorkerStore {
 public:
  explicit SqliteWorkerStore(soci::session& session);

  absl::Status Put(WorkerRecord& record) override;
  absl::StatusOr<WorkerRecord> Get(const std::string& id) const override;
  absl::StatusOr<std::vector<WorkerRecord>> List(const std::string& after, int64_t limit) const override;

 private:
  // id, resource, session, draining, revision.
  using WorkerRow = std::tuple<std::string, Bytes, std::string, int64_t, int64_t>;

  mutable Command<std::string, Bytes, std::string, int64_t, int64_t> put_;
  mutable Query<WorkerRow, std::string> get_;
  mutable Query<WorkerRow, std::string, int64_t> list_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_WORKER_STORE_H_
