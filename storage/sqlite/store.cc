#include "storage/sqlite/store.h"

#include <utility>

#include "storage/sqlite/digest_store.h"
#include "storage/sqlite/event_store.h"
#include "storage/sqlite/job_store.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/worker_store.h"

namespace benchwire::storage {
namespace {
constexpr int kStoreReaders = 4;
}

// The statements of one connection, as the tables they work on.
class SqliteTables final : public View, public Transaction {
 public:
  explicit SqliteTables(soci::session& session)
      : jobs_(session), workers_(session), digests_(session), events_(session), requests_(session) {}

  const JobStore& jobs() const override { return jobs_; }
  const WorkerStore& workers() const override { return workers_; }
  const DigestStore& digests() const override { return digests_; }
  const EventStore& events() const override { return events_; }
  const RequestStore& requests() const override { return requests_; }
  JobStore& jobs() override { return jobs_; }
  WorkerStore& workers() override { return workers_; }
  DigestStore& digests() override { return digests_; }
  EventStore& events() override { return events_; }
  RequestStore& requests() override { return requests_; }

 private:
  SqliteJobStore jobs_;
  SqliteWorkerStore workers_;
  SqliteDigestStore digests_;
  SqliteEventStore events_;
  SqliteRequestStore requests_;
};

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& path,
                                                               std::function<void()> after_commit) {
  std::unique_ptr<SqliteStore> store(new SqliteStore);
  ASSIGN_OR_RETURN(store->connection_, Connection::Open(path, Access::kReadWrite));
  RETURN_IF_ERROR(store->connection_->Migrate(MainMigrations()));
  store->tables_ = std::make_unique<SqliteTables>(store->connection_->session());
  ASSIGN_OR_RETURN(store->readers_, ReaderPool<SqliteTables>::Open(path, kStoreReaders));
  store->writer_ = std::make_unique<GroupCommit>(*store->connection_, std::move(after_commit));
  return store;
}

SqliteStore::~SqliteStore() = default;

absl::Status SqliteStore::Read(const ReadFunction& function) const {
  return readers_->Run([&](const SqliteTables& tables) { return function(tables); });
}

void SqliteStore::WriteAsync(WriteFunction function, WriteCallback done) {
  writer_->Add({[this, function = std::move(function)] { return function(*tables_); }, std::move(done)});
}

}  // namespace benchwire::storage
