#include "workers/agent/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "clients/cpp/channel.h"
#include "server/base/log.h"
#include "server/base/status.h"
#include "workers/agent/timing.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

// An answer that will not change by asking again.
bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(const AgentOptions& options, v1::Inventory inventory, std::string incarnation, AgentApi& api,
                 const Clock& clock, RandomSource& random, SessionListener& listener)
    : options_(options),
      inventory_(std::move(inventory)),
      incarnation_(std::move(incarnation)),
      api_(api),
      clock_(clock),
      random_(random),
      listener_(listener) {}

Session::~Session() { Stop(); }

void Session::Start() {
  caller_ = std::thread([this] { Run(); });
  watcher_ = std::thread([this] { Watch(); });
}

void Session::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  api_.Cancel();
  if (caller_.joinable()) caller_.join();
  if (watcher_.joinable()) watcher_.join();
}

std::string Session::Wait(milliseconds timeout) {
  MutexLock lock(mutex_);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!stopping_ && session_.empty()) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return stopping_ ? "" : session_;
}

void Session::MarkStale(const std::string& session) {
  MutexLock lock(mutex_);
  if (session_ != session) return;
  session_.clear();
  changed_.notify_all();
}

void Session::SetDraining(bool draining) {
  MutexLock lock(mutex_);
  if (draining_ != draining) spdlog::info("drain draining={}", draining);
  draining_ = draining;
}

bool Session::draining() const {
  MutexLock lock(mutex_);
  return draining_;
}

bool Session::alive() const {
  MutexLock lock(mutex_);
  return !silent_ && clock_.Monotonic() < heard_ + FenceDelay(ttl_, options_.fence_margin);
}

milliseconds Session::stop_time() const {
  // The least time to live that a server gives is 2 s; a fake one's may be shorter.
  static constexpr milliseconds kLeast{1'000};
  MutexLock lock(mutex_);
  return std::max(kLeast, ttl_ - FenceDelay(ttl_, options_.fence_margin));
}

void Session::Run() {
  milliseconds delay{0};
  // What the last call left. Anything else means that the session became stale meanwhile: no waiting then.
  std::string session;
  for (;;) {
    {
      MutexLock lock(mutex_);
      const auto deadline = std::chrono::steady_clock::now() + delay;
      while (!stopping_ && session_ == session) {
        if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
      }
      if (stopping_) return;
      session = session_;
    }
    delay = session.empty() ? Register(&session) : Renew(session);
  }
}

void Session::Watch() {
  while (WaitForSilence()) {
    spdlog::warn("server silent, stopping runners");
    listener_.OnSilence();
  }
}

bool Session::WaitForSilence() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (silent_) {
      changed_.wait(mutex_);
      continue;
    }
    const MonotonicTime fence = heard_ + FenceDelay(ttl_, options_.fence_margin);
    const MonotonicTime now = clock_.Monotonic();
    if (now >= fence) {
      silent_ = true;
      return true;
    }
    changed_.wait_for(mutex_, std::chrono::ceil<milliseconds>(fence - now));
  }
  return false;
}

milliseconds Session::CallTimeout() const {
  MutexLock lock(mutex_);
  if (ttl_ == milliseconds(0)) return options_.call_timeout;
  return std::min(options_.call_timeout, std::max(milliseconds(100), ttl_ / 4));
}

milliseconds Session::Register(std::string* session) {
  v1::RegisterWorkerRequest request;
  request.set_worker(options_.worker);
  request.set_incarnation(incarnation_);
  *request.mutable_inventory() = inventory_;
  const auto held = listener_.Attempts();
  const MonotonicTime sent = clock_.Monotonic();
  const auto response = api_.RegisterWorker(request, options_.call_timeout);
  if (!response.ok()) {
    if (!ever_registered_ && IsRefusal(response.status())) {
      listener_.OnRefused(response.status());
      MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
      return milliseconds(0);
    }
    return OnError("RegisterWorker", response.status());
  }
  ever_registered_ = true;
  failures_ = 0;
  Heard(sent, response->ttl());
  const std::set<std::string> ours(response->attempts().begin(), response->attempts().end());
  for (const auto& [attempt, progress] : held) {
    if (ours.count(attempt) == 0) listener_.OnLost(attempt);
  }
  MutexLock lock(mutex_);
  *session = session_ = response->session();
  changed_.notify_all();
  spdlog::info("registered worker={} incarnation={} ttl_ms={} attempts={}", options_.worker, incarnation_, ttl_.count(),
               ours.size());
  return RenewDelay(ttl_, random_);
}

milliseconds Session::Renew(const std::string& session) {
  v1::RenewLeaseRequest request;
  request.set_session(session);
  for (auto& [attempt, progress] : listener_.Attempts()) (*request.mutable_progress())[attempt] = progress;
  const MonotonicTime sent = clock_.Monotonic();
  const auto response = api_.RenewLease(request, CallTimeout());
  if (!response.ok()) {
    if (ErrorReason(response.status()) != "STALE_SESSION") return OnError("RenewLease", response.status());
    spdlog::warn("session is stale, registering again");
    MarkStale(session);
    return milliseconds(0);
  }
  failures_ = 0;
  Heard(sent, response->ttl());
  SetDraining(response->drain());
  for (const std::string& attempt : response->stale()) listener_.OnLost(attempt);
  for (const std::string& attempt : response->cancel()) listener_.OnCancel(attempt);
  MutexLock lock(mutex_);
  return RenewDelay(ttl_, random_);
}

milliseconds Session::OnError(const char* call, const absl::Status& status) {
  milliseconds cap = options_.backoff_cap;
  {
    MutexLock lock(mutex_);
    if (stopping_) return milliseconds(0);
    // Several tries must fit into the time before the runners are stopped.
    if (ttl_ > milliseconds(0)) cap = std::min(cap, std::max(milliseconds(10), ttl_ / 9));
  }
  const milliseconds delay = FullJitter(failures_++, options_.backoff_base, cap, random_);
  spdlog::warn("call failed call={} code={} retry_ms={} message=\"{}\"", call, absl::StatusCodeToString(status.code()),
               delay.count(), LogSafe(std::string(status.message())));
  return delay;
}

void Session::Heard(MonotonicTime sent, const google::protobuf::Duration& ttl) {
  MutexLock lock(mutex_);
  heard_ = sent;
  ttl_ = std::max(milliseconds(30), std::chrono::duration_cast<milliseconds>(FromProto(ttl)));
  silent_ = false;
  changed_.notify_all();
}

}  // namespace benchwire::agent
