// The live connections of an HTTP server, so that it can count, drain and close them. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_SESSION_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_SESSION_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "server/base/mutex.h"

namespace benchwire::gateway {

class HttpSession {
 public:
  virtual ~HttpSession() = default;
  // Ends it as soon as nobody waits for an answer.
  virtual void Drain() = 0;
  // Ends it now.
  virtual void Kill() = 0;
};

class SessionRegistry {
 public:
  // Counts a session for as long as it lives. The registry must outlive it.
  class Membership {
   public:
    Membership() = default;
    Membership(SessionRegistry* registry, int64_t id) : registry_(registry), id_(id) {}
    Membership(Membership&& other) noexcept : registry_(std::exchange(other.registry_, nullptr)), id_(other.id_) {}
    Membership& operator=(Membership&& other) noexcept {
      std::swap(registry_, other.registry_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Membership() {
      if (registry_ != nullptr) registry_->Remove(id_);
    }

   private:
    SessionRegistry* registry_ = nullptr;
    int64_t id_ = 0;
  };

  Membership Add(std::weak_ptr<HttpSession> session) {
    MutexLock lock(mutex_);
    sessions_[next_id_] = std::move(session);
    return Membership(this, next_id_++);
  }

  size_t size() const {
    MutexLock lock(mutex_);
    return sessions_.size();
  }

  std::vector<std::shared_ptr<HttpSession>> Live() const {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<HttpSession>> live;
    for (const auto& [id, weak] : sessions_) {
      if (auto session = weak.lock()) live.push_back(std::move(session));
    }
    return live;
  }

  // True when none is left within `limit`.
  bool WaitEmpty(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    MutexLock lock(mutex_);
    while (!sessions_.empty()) {
      if (empty_.wait_until(mutex_, deadline) == std::cv_status::timeout) return sessions_.empty();
    }
    return true;
  }

 private:
  void Remove(int64_t id) {
    MutexLock lock(mutex_);
    sessions_.erase(id);
    if (sessions_.empty()) empty_.notify_all();
  }

  mutable Mutex mutex_;
  CondVar empty_;
  std::map<int64_t, std::weak_ptr<HttpSession>> sessions_ GUARDED_BY(mutex_);
  int64_t next_id_ GUARDED_BY(mutex_) = 1;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_SESSION_H_
