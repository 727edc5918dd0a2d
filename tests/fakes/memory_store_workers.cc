#include "tests/fakes/memory_store_workers.h"

#include <iterator>

#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::storage {

absl::Status MemoryWorkerStore::Put(WorkerRecord& record) {
  ++record.revision;
  workers_.Put(record.id, record);
  return absl::OkStatus();
}

absl::StatusOr<WorkerRecord> MemoryWorkerStore::Get(const std::string& id) const {
  const WorkerRecord* found = workers_.Find(id);
  if (found == nullptr) return NotFound(WorkerName(id));
  return *found;
}

absl::StatusOr<std::vector<WorkerRecord>> MemoryWorkerStore::List(const std::string& after, int64_t limit) const {
  std::vector<WorkerRecord> out;
  for (auto row = workers_.rows().upper_bound(after); row != workers_.rows().end() && std::ssize(out) < limit; ++row) {
    out.push_back(*row->second);
  }
  return out;
}

}  // namespace benchwire::storage
