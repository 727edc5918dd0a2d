// Lets one thread end the waiting and the calls of another. Any thread; cancelling is final.
#ifndef BENCHWIRE_CLIENTS_CPP_CANCEL_H_
#define BENCHWIRE_CLIENTS_CPP_CANCEL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "server/base/mutex.h"

namespace benchwire::client {

class CancelToken {
 public:
  // While it lives, `callback` runs once when the token is cancelled, on the cancelling thread, or at once where it
  // already is. When the destructor returns the callback is not running. The callback must not block or use the token.
  class Registration {
   public:
    Registration(CancelToken& token, std::function<void()> callback);
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    CancelToken& token_;
    uint64_t id_ = 0;
  };

  void Cancel() EXCLUDES(mutex_);
  bool cancelled() const EXCLUDES(mutex_);
  // Sleeps; true where it was cut short, or would have been, by Cancel.
  bool WaitFor(std::chrono::milliseconds duration) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, std::function<void()>> callbacks_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_CANCEL_H_
