#include "clients/cpp/cancel.h"

namespace benchwire::client {

CancelToken::Registration::Registration(CancelToken& token, std::function<void()> callback) : token_(token) {
  MutexLock lock(token_.mutex_);
  if (token_.cancelled_) {
    callback();
    return;
  }
  id_ = token_.next_id_++;
  token_.callbacks_.emplace(id_, std::move(callback));
}

CancelToken::Registration::~Registration() {
  MutexLock lock(token_.mutex_);
  token_.callbacks_.erase(id_);
}

void CancelToken::Cancel() {
  MutexLock lock(mutex_);
  if (cancelled_) return;
  cancelled_ = true;
  // Under the lock, so that a registration's destructor waits for its callback to end.
  for (auto& [id, callback] : callbacks_) callback();
  changed_.notify_all();
}

bool CancelToken::cancelled() const {
  MutexLock lock(mutex_);
  return cancelled_;
}

bool CancelToken::WaitFor(std::chrono::milliseconds duration) {
  const auto until = std::chrono::steady_clock::now() + duration;
  MutexLock lock(mutex_);
  while (!cancelled_) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) return cancelled_;
  }
  return true;
}

}  // namespace benchwire::client
