// A flag that ends waits. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_STOP_SIGNAL_H_
#define BENCHWIRE_WORKERS_AGENT_STOP_SIGNAL_H_

#include <chrono>

#include "server/base/mutex.h"

namespace benchwire::agent {

class StopSignal {
 public:
  void Set() {
    MutexLock lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool IsSet() const {
    MutexLock lock(mutex_);
    return set_;
  }
  // Waits up to `timeout`. True: set.
  bool WaitFor(std::chrono::milliseconds timeout) {
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!set_ && changed_.wait_until(mutex_, deadline) != std::cv_status::timeout) {
    }
    return set_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool set_ GUARDED_BY(mutex_) = false;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_STOP_SIGNAL_H_
