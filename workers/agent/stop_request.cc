#include "workers/agent/stop_request.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace benchwire::agent {

StopRequest::StopRequest() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void StopRequest::Request(StopCause cause) {
  {
    MutexLock lock(mutex_);
    if (cause_ == StopCause::kNone || cause == StopCause::kLost) cause_ = cause;
  }
  Wake();
}

StopCause StopRequest::cause() const {
  MutexLock lock(mutex_);
  return cause_;
}

void StopRequest::Wake() {
  const uint64_t one = 1;
  // Fails only where the counter is full; then it is readable anyway.
  [[maybe_unused]] const ssize_t written = write(event_.get(), &one, sizeof one);
}

void StopRequest::Clear() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(event_.get(), &count, sizeof count);
}

}  // namespace benchwire::agent
