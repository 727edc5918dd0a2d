#include "storage/sqlite/worker_store.h"

#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::storage {
namespace {

auto CollectInto(std::vector<WorkerRecord>& out) {
  return [&out](const std::string& id, const Bytes& resource, const std::string& session, int64_t draining,
                int64_t revision) -> absl::Status {
    WorkerRecord& record = out.emplace_back();
    record.id = id;
    if (!record.worker.ParseFromString(resource.value)) return BadStoredMessage("worker " + id);
    record.session = session;
    record.draining = draining != 0;
    record.revision = revision;
    return absl::OkStatus();
  };
}

}  // namespace

SqliteWorkerStore::SqliteWorkerStore(soci::session& session)
    : put_(session,
           "INSERT INTO workers (id, resource, session, draining, revision) VALUES (:id, :resource, :session, "
           ":draining, "
           ":revision) ON CONFLICT (id) DO UPDATE SET resource = excluded.resource, session = excluded.session, "
           "draining = excluded.draining, revision = excluded.revision"),
      get_(session, "SELECT id, resource, session, draining, revision FROM workers WHERE id = :id"),
      list_(
          session,
          "SELECT id, resource, session, draining, revision FROM workers WHERE id > :after ORDER BY id LIMIT :limit") {}

absl::Status SqliteWorkerStore::Put(WorkerRecord& record) {
  ++record.revision;
  return put_
      .Execute(record.id, Bytes{record.worker.SerializeAsString()}, record.session, record.draining ? 1 : 0,
               record.revision)
      .status();
}

absl::StatusOr<WorkerRecord> SqliteWorkerStore::Get(const std::string& id) const {
  std::vector<WorkerRecord> found;
  RETURN_IF_ERROR(get_.ForEach(id, CollectInto(found)));
  if (found.empty()) return NotFound(WorkerName(id));
  return std::move(found.front());
}

absl::StatusOr<std::vector<WorkerRecord>> SqliteWorkerStore::List(const std::string& after, int64_t limit) const {
  std::vector<WorkerRecord> out;
  RETURN_IF_ERROR(list_.ForEach(after, limit, CollectInto(out)));
  return out;
}

}  // namespace benchwire::storage
