#include "workers/agent/agent.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "clients/cpp/channel.h"
#include "server/base/log.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "workers/agent/inventory.h"
#include "workers/agent/timing.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

// How often the lease loop looks at what nobody wakes it for.
constexpr milliseconds kLook{200};

}  // namespace

Agent::Agent(AgentOptions options, v1::Inventory inventory, RunnerCatalog catalog, const Clock& clock,
             RandomSource& random, std::function<void(const absl::Status&)> on_refused)
    : options_(std::move(options)),
      catalog_(std::move(catalog)),
      environment_(EnvironmentFacts(inventory)),
      clock_(clock),
      random_(random),
      on_refused_(std::move(on_refused)),
      control_api_(client::OpenChannel(options_.server)),
      lease_api_(client::OpenChannel(options_.server)),
      work_api_(client::OpenChannel(options_.server)),
      spool_(options_.spool_dir),
      redelivery_(options_, inventory, clock, random, spool_),
      session_(options_, std::move(inventory), RandomId(random), control_api_, clock, random, *this) {}

Agent::~Agent() { Stop(); }

void Agent::Start() {
  starter_ = std::thread([this] {
    redelivery_.Run();
    if (!stopping_.IsSet()) session_.Start();
  });
  lease_thread_ = std::thread([this] { LeaseLoop(); });
}

void Agent::Stop() {
  stopping_.Set();
  redelivery_.Stop();
  if (starter_.joinable()) starter_.join();
  lease_api_.Cancel();
  if (lease_thread_.joinable()) lease_thread_.join();
  StopAll(StopCause::kAgentStops);
  const auto deadline = std::chrono::steady_clock::now() + options_.stop_wait;
  {
    MutexLock lock(mutex_);
    auto busy = [this]() NO_THREAD_SAFETY_ANALYSIS {
      for (const auto& [name, slot] : slots_) {
        if (!slot.done) return true;
      }
      return false;
    };
    while (busy() && changed_.wait_until(mutex_, deadline) != std::cv_status::timeout) {
    }
    for (auto& [name, slot] : slots_) slot.attempt->Abandon();
  }
  work_api_.Cancel();
  std::vector<std::thread> threads;
  {
    // The slots stay: a thread that ends marks its own.
    MutexLock lock(mutex_);
    for (auto& [name, slot] : slots_) {
      if (slot.thread.joinable()) threads.push_back(std::move(slot.thread));
    }
  }
  for (std::thread& thread : threads) thread.join();
  session_.Stop();
}

size_t Agent::running() const {
  MutexLock lock(mutex_);
  return slots_.size();
}

std::map<std::string, v1::Progress> Agent::Attempts() {
  std::map<std::string, v1::Progress> out;
  MutexLock lock(mutex_);
  for (const auto& [name, slot] : slots_) {
    if (!slot.done) out[name] = slot.attempt->progress();
  }
  return out;
}

void Agent::OnLost(const std::string& attempt) { StopOne(attempt, StopCause::kLost); }

void Agent::OnCancel(const std::string& attempt) { StopOne(attempt, StopCause::kCancel); }

void Agent::OnSilence() { StopAll(StopCause::kServerSilent); }

void Agent::OnRefused(const absl::Status& status) { on_refused_(status); }

void Agent::StopOne(const std::string& attempt, StopCause cause) {
  MutexLock lock(mutex_);
  const auto slot = slots_.find(attempt);
  if (slot != slots_.end()) slot->second.attempt->Stop(cause);
}

void Agent::StopAll(StopCause cause) {
  MutexLock lock(mutex_);
  for (auto& [name, slot] : slots_) slot.attempt->Stop(cause);
}

std::string Agent::WaitReady() {
  Reap();
  {
    MutexLock lock(mutex_);
    const bool ending = std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) {
      return slot.second.attempt->cut_off() && !slot.second.done;
    });
    // While a runner that was cut off still ends, its devices are not free.
    if (ending || slots_.size() >= static_cast<size_t>(options_.slots)) {
      changed_.wait_for(mutex_, kLook);
      return "";
    }
  }
  const std::string session = session_.Wait(kLook);
  if (!session.empty() && !session_.draining() && session_.alive()) return session;
  if (!session.empty()) stopping_.WaitFor(kLook);
  return "";
}

void Agent::LeaseLoop() {
  // Kept until answered: a lease whose reply was lost is given again.
  std::string request_id = RandomId(random_);
  int failures = 0;
  while (!stopping_.IsSet()) {
    const std::string session = WaitReady();
    if (session.empty()) continue;
    v1::LeaseJobRequest request;
    request.set_session(session);
    request.set_request_id(request_id);
    *request.mutable_wait() = ToProto(options_.lease_wait);
    auto response = lease_api_.LeaseJob(request, options_.lease_wait + options_.call_timeout);
    if (response.ok()) {
      request_id = RandomId(random_);
      failures = 0;
      if (response->has_lease()) Launch(std::move(*response->mutable_lease()));
      continue;
    }
    if (stopping_.IsSet()) return;
    if (ErrorReason(response.status()) == "STALE_SESSION") session_.MarkStale(session);
    const milliseconds delay = FullJitter(failures++, options_.backoff_base, options_.backoff_cap, random_);
    spdlog::warn("call failed call=LeaseJob code={} retry_ms={} message=\"{}\"",
                 absl::StatusCodeToString(response.status().code()), delay.count(),
                 LogSafe(std::string(response.status().message())));
    stopping_.WaitFor(delay);
  }
}

void Agent::Launch(v1::Lease lease) {
  const std::string name = lease.fence().attempt();
  if (const auto id = ParseAttemptName("lease.fence.attempt", name); !id.ok()) {
    spdlog::error("lease dropped message=\"{}\"", LogSafe(std::string(id.status().message())));
    return;
  }
  auto attempt = std::make_shared<RunningAttempt>(
      AttemptContext{options_, work_api_, session_, clock_, random_, catalog_, environment_, spool_}, std::move(lease));
  MutexLock lock(mutex_);
  Slot& slot = slots_[name];
  if (slot.attempt != nullptr) {
    spdlog::error("lease dropped attempt={} reason=\"it runs already\"", name);
    return;
  }
  spdlog::info("job leased attempt={}", name);
  slot.attempt = attempt;
  slot.thread = std::thread([this, attempt, name] {
    attempt->Run();
    MutexLock done(mutex_);
    slots_.at(name).done = true;
    changed_.notify_all();
  });
}

void Agent::Reap() {
  std::vector<std::thread> over;
  {
    MutexLock lock(mutex_);
    for (auto slot = slots_.begin(); slot != slots_.end();) {
      if (slot->second.done) {
        over.push_back(std::move(slot->second.thread));
        slot = slots_.erase(slot);
      } else {
        ++slot;
      }
    }
  }
  for (std::thread& thread : over) thread.join();
}

}  // namespace benchwire::agent
