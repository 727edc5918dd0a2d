#include "server/core/dispatcher.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "server/base/job_kind.h"
#include "server/base/resource_name.h"
#include "server/base/sha256.h"
#include "server/base/status.h"
#include "server/core/lifecycle.h"

namespace benchwire::core {
namespace {

constexpr size_t kTokenBytes = 16;
// Queued jobs looked at in one dispatch, beyond two for each waiting worker.
constexpr int64_t kLookAhead = 64;

v1::LeaseJobResponse NoLease() { return {}; }

}  // namespace

Dispatcher::Dispatcher(CoreEnvironment environment, WorkerTable& workers, std::chrono::nanoseconds start_deadline)
    : environment_(environment), workers_(workers), start_deadline_(start_deadline) {}

Dispatcher::WaitId Dispatcher::Lease(const std::string& worker, const std::string& request_id,
                                     std::chrono::nanoseconds wait, LeaseCallback callback) {
  std::optional<v1::LeaseJobResponse> now;
  std::vector<LeaseCallback> given_up;
  WaitId id = 0;
  {
    MutexLock lock(mutex_);
    for (const auto& [attempt, assigned] : assigned_) {
      if (assigned.worker != worker || assigned.request_id != request_id || !assigned.lease.has_fence()) continue;
      now.emplace();
      *now->mutable_lease() = assigned.lease;
      *now->mutable_lease()->mutable_start_deadline() =
          ToProto(std::max<std::chrono::nanoseconds>(assigned.deadline - environment_.clock.Monotonic(), {}));
    }
    if (!now && stopping_) now = NoLease();
    given_up = TakeWaiters(worker, request_id);
    id = next_id_++;
    if (!now) waiters_[id] = {worker, request_id, environment_.clock.Monotonic() + wait, std::move(callback)};
  }
  for (const LeaseCallback& old : given_up) old(NoLease());
  if (now) {
    callback(*now);
  } else {
    Kick();
  }
  return id;
}

void Dispatcher::Forget(WaitId id) {
  MutexLock lock(mutex_);
  waiters_.erase(id);
}

void Dispatcher::ForgetWorker(const std::string& worker) {
  std::vector<LeaseCallback> given_up;
  {
    MutexLock lock(mutex_);
    given_up = TakeWaiters(worker, "");
  }
  for (const LeaseCallback& callback : given_up) callback(NoLease());
}

std::vector<Dispatcher::LeaseCallback> Dispatcher::TakeWaiters(const std::string& worker,
                                                               const std::string& request_id) {
  std::vector<LeaseCallback> out;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    const bool wanted = it->second.worker == worker && (request_id.empty() || it->second.request_id == request_id);
    if (wanted) out.push_back(std::move(it->second.callback));
    it = wanted ? waiters_.erase(it) : std::next(it);
  }
  return out;
}

void Dispatcher::Kick() {
  {
    MutexLock lock(mutex_);
    if (waiters_.empty()) return;
    if (std::exchange(dispatching_, true)) {
      again_ = true;
      return;
    }
  }
  Dispatch();
}

void Dispatcher::Dispatch() {
  auto placed = std::make_shared<std::vector<Placed>>();
  environment_.store.WriteAsync(
      [this, placed](storage::Transaction& tx) {
        placed->clear();
        return Place(tx, Candidates(), *placed);
      },
      [this, placed](const absl::Status& status) { Finish(status, std::move(*placed)); });
}

std::vector<Dispatcher::Candidate> Dispatcher::Candidates() const {
  std::vector<Candidate> out;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, waiter] : waiters_) out.push_back({waiter.worker, waiter.request_id, {}});
  }
  std::map<std::string, int>
      calls;  // A worker with several parked calls gets one job a dispatch: each sees the grants before.
  std::erase_if(out, [&](Candidate& candidate) {
    auto load = workers_.LoadOf(candidate.worker);
    if (!load || ++calls[candidate.worker] > 1) return true;
    candidate.load = std::move(*load);
    return false;
  });
  return out;
}

absl::Status Dispatcher::Place(storage::Transaction& tx, const std::vector<Candidate>& candidates,
                               std::vector<Placed>& placed) {
  if (candidates.empty()) return absl::OkStatus();
  const WallTime now = environment_.clock.Now();
  // Most dispatches need only the head of the queue. Where jobs there fit no waiting worker, those behind them get
  // their look too.
  std::vector<storage::JobRecord> queued;
  std::vector<Placement> placements;
  bool delayed = false;
  for (int64_t limit = 2 * static_cast<int64_t>(candidates.size()) + kLookAhead;; limit *= 8) {
    ASSIGN_OR_RETURN(queued, tx.jobs().ListQueued(limit));
    std::vector<QueuedJob> jobs;
    for (const storage::JobRecord& record : queued) {
      jobs.push_back(
          {record.id, KindOf(record.job), record.job.requirements(), FromProto(record.job.earliest_start_time())});
      delayed = delayed || jobs.back().earliest_start > now;
    }
    std::vector<WorkerLoad> loads;
    for (const Candidate& candidate : candidates) loads.push_back(candidate.load);
    placements = PlaceJobs(jobs, std::move(loads), now);
    if (placements.size() == candidates.size() || queued.size() < static_cast<size_t>(limit)) break;
  }
  {
    MutexLock lock(mutex_);
    delayed_ = delayed;
  }
  for (const Placement& placement : placements) {
    RETURN_IF_ERROR(Assign(tx, queued[placement.job], candidates[placement.worker], placement, placed));
  }
  return absl::OkStatus();
}

absl::Status Dispatcher::Assign(storage::Transaction& tx, storage::JobRecord& record, const Candidate& candidate,
                                const Placement& placement, std::vector<Placed>& placed) {
  ASSIGN_OR_RETURN(const storage::WorkerRecord worker, tx.workers().Get(candidate.worker));
  const std::string token = environment_.random.Bytes(kTokenBytes);
  const WallTime now = environment_.clock.Now();
  const v1::Attempt attempt = core::Assign(record,
                                           {.worker = candidate.worker,
                                            .incarnation = worker.worker.incarnation(),
                                            .request_id = candidate.request_id,
                                            .token_sha256 = Sha256Hex(token),
                                            .devices = placement.devices},
                                           now);
  RETURN_IF_ERROR(SaveJob(tx, record, now));
  RETURN_IF_ERROR(tx.jobs().PutAttempt({record.id, record.attempt}, attempt));

  Placed& out = placed.emplace_back();
  out.worker = candidate.worker;
  out.request_id = candidate.request_id;
  out.attempt = {record.id, record.attempt};
  out.grant = {record.attempt, record.job.requirements(), placement.devices};
  out.lease.mutable_fence()->set_attempt(attempt.name());
  out.lease.mutable_fence()->set_epoch(record.lease.epoch);
  out.lease.mutable_fence()->set_token(token);
  out.lease.set_kind(KindOf(record.job));
  out.lease.set_spec_json(record.spec_json);
  out.lease.set_seed(record.job.seed());
  out.lease.mutable_devices()->Assign(placement.devices.begin(), placement.devices.end());
  *out.lease.mutable_timeout() = record.job.timeout();
  *out.lease.mutable_start_deadline() = ToProto(start_deadline_);
  return absl::OkStatus();
}

void Dispatcher::Finish(const absl::Status& status, std::vector<Placed> placed) {
  if (!status.ok()) {
    // The jobs stay queued and the calls parked; the next change or tick tries again.
    spdlog::warn("placing jobs failed: {}", std::string(status.message()));
    placed.clear();
  }
  for (Placed& one : placed) workers_.AddGrant(one.worker, one.attempt.job, one.grant);
  std::vector<std::pair<LeaseCallback, v1::LeaseJobResponse>> answers;
  bool again = false;
  {
    MutexLock lock(mutex_);
    for (Placed& one : placed) {
      assigned_[one.attempt] = {one.worker, one.request_id, one.lease,
                                environment_.clock.Monotonic() + start_deadline_};
      v1::LeaseJobResponse response;
      *response.mutable_lease() = std::move(one.lease);
      // By request id: the call may have been repeated meanwhile. None: its caller is gone, and may yet ask again.
      for (LeaseCallback& callback : TakeWaiters(one.worker, one.request_id)) {
        answers.emplace_back(std::move(callback), response);
      }
    }
    if (!status.ok()) delayed_ = true;
    // A round that placed something may have left calls of the same worker, or jobs beyond the look-ahead.
    again = (std::exchange(again_, false) || !placed.empty()) && !waiters_.empty();
    if (!again) dispatching_ = false;
  }
  for (auto& [callback, response] : answers) callback(std::move(response));
  if (again) Dispatch();
}

void Dispatcher::AddAssigned(const AttemptId& attempt, const std::string& worker) {
  MutexLock lock(mutex_);
  assigned_[attempt] = {worker, "", {}, environment_.clock.Monotonic() + start_deadline_};
}

void Dispatcher::Settle(const AttemptId& attempt) {
  MutexLock lock(mutex_);
  assigned_.erase(attempt);
}

std::vector<AttemptId> Dispatcher::Overdue() const {
  MutexLock lock(mutex_);
  std::vector<AttemptId> out;
  for (const auto& [attempt, assigned] : assigned_) {
    if (environment_.clock.Monotonic() > assigned.deadline) out.push_back(attempt);
  }
  return out;
}

void Dispatcher::Tick() {
  std::vector<LeaseCallback> over;
  bool kick = false;
  {
    MutexLock lock(mutex_);
    const MonotonicTime now = environment_.clock.Monotonic();
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      if (it->second.deadline <= now) {
        over.push_back(std::move(it->second.callback));
        it = waiters_.erase(it);
      } else {
        ++it;
      }
    }
    kick = delayed_;
  }
  for (const LeaseCallback& callback : over) callback(NoLease());
  if (kick) Kick();
}

void Dispatcher::Stop() {
  std::map<WaitId, Waiter> waiters;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    waiters.swap(waiters_);
  }
  for (auto& [id, waiter] : waiters) waiter.callback(NoLease());
}

}  // namespace benchwire::core
