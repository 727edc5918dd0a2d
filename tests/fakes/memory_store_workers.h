// WorkerStore in memory, a part of MemoryStore.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_WORKERS_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_WORKERS_H_

#include <string>
#include <vector>

#include "storage/worker_store.h"
#include "tests/fakes/memory_store_table.h"

namespace benchwire::storage {

class MemoryWorkerStore final : public WorkerStore {
 public:
  absl::Status Put(WorkerRecord& record) override;
  absl::StatusOr<WorkerRecord> Get(const std::string& id) const override;
  absl::StatusOr<std::vector<WorkerRecord>> List(const std::string& after, int64_t limit) const override;

 private:
  MemoryTable<std::string, WorkerRecord> workers_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_WORKERS_H_
