// The main store in memory, for tests of what stands on it. It passes the conformance suite of the stores. Any thread;
// a write runs in the caller's thread, one at a time, and readers keep the state they began with.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_H_

#include <functional>
#include <memory>

#include "server/base/mutex.h"
#include "storage/store.h"

namespace benchwire::storage {

class MemoryStoreState;

class MemoryStore final : public Store {
 public:
  // `after_commit` is called after each write that was kept, before the write is answered.
  explicit MemoryStore(std::function<void()> after_commit = [] {});
  ~MemoryStore() override;

  absl::Status Read(const ReadFunction& function) const override;
  void WriteAsync(WriteFunction function, WriteCallback done) override;

 private:
  std::shared_ptr<const MemoryStoreState> state() const;

  const std::function<void()> after_commit_;
  Mutex write_mutex_;  // Held by the one transaction that runs.
  mutable Mutex mutex_;
  std::shared_ptr<const MemoryStoreState> state_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_H_
