// Workers. Used inside Store::Read and Store::Write only; const methods read.
#ifndef BENCHWIRE_STORAGE_WORKER_STORE_H_
#define BENCHWIRE_STORAGE_WORKER_STORE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/records.h"

namespace benchwire::storage {

class WorkerStore {
 public:
  virtual ~WorkerStore() = default;

  // Inserts or replaces the worker and counts its revision up.
  virtual absl::Status Put(WorkerRecord& record) = 0;
  // NOT_FOUND.
  virtual absl::StatusOr<WorkerRecord> Get(const std::string& id) const = 0;
  // By id, ids after `after`.
  virtual absl::StatusOr<std::vector<WorkerRecord>> List(const std::string& after, int64_t limit) const = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_WORKER_STORE_H_
