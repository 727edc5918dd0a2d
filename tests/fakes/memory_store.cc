#include "tests/fakes/memory_store.h"

#include <utility>

#include "tests/fakes/memory_store_digests.h"
#include "tests/fakes/memory_store_events.h"
#include "tests/fakes/memory_store_jobs.h"
#include "tests/fakes/memory_store_workers.h"

namespace benchwire::storage {

// Everything the store holds. A copy is a snapshot.
class MemoryStoreState final : public View, public Transaction {
 public:
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
  MemoryJobStore jobs_;
  MemoryWorkerStore workers_;
  MemoryDigestStore digests_;
  MemoryEventStore events_;
  MemoryRequestStore requests_;
};

MemoryStore::MemoryStore(std::function<void()> after_commit)
    : after_commit_(std::move(after_commit)), state_(std::make_shared<const MemoryStoreState>()) {}

MemoryStore::~MemoryStore() = default;

std::shared_ptr<const MemoryStoreState> MemoryStore::state() const {
  MutexLock lock(mutex_);
  return state_;
}

absl::Status MemoryStore::Read(const ReadFunction& function) const { return function(*state()); }

void MemoryStore::WriteAsync(WriteFunction function, WriteCallback done) {
  absl::Status status;
  {
    MutexLock writing(write_mutex_);
    auto next = std::make_shared<MemoryStoreState>(*state());
    status = function(*next);
    if (status.ok()) {
      MutexLock lock(mutex_);
      state_ = std::move(next);
    }
  }
  if (status.ok()) after_commit_();
  done(status);
}

}  // namespace benchwire::storage
