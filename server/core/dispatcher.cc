#include "server/core/dispatcher.h"

#include <spdlog/spdlog.h>

#include <algorithm>
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
// Jobs placed in one transaction, so that it stays short.
constexpr size_t kMaxPlaced = 256;
constexpr std::chrono::seconds kReservationLook{5};

v1::LeaseJobResponse NoLease() { return {}; }

std::optional<MonotonicTime> Earlier(std::optional<MonotonicTime> a, std::optional<MonotonicTime> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

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
    if (!now) waiters_[id] = {worker, request_id, environment_.clock.Monotonic() + wait, std::move(callback), 0};
  }
  for (const LeaseCallback& old : given_up) old(NoLease());
  if (now) {
    callback(*now);
  } else {
    Start();
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
    ++changes_;
  }
  Start();
}

void Dispatcher::Start() {
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
  auto round = std::make_shared<Round>();
  environment_.store.WriteAsync(
      [this, round](storage::Transaction& tx) {
        *round = {};
        return Place(tx, *round);
      },
      [this, round](const absl::Status& status) { Finish(status, *round); });
}

size_t Dispatcher::Begin(Round& round) const {
  MutexLock lock(mutex_);
  round.change = changes_;
  round.last_wait = next_id_ - 1;
  return static_cast<size_t>(std::count_if(waiters_.begin(), waiters_.end(),
                                           [&](const auto& entry) { return entry.second.seen < round.change; }));
}

void Dispatcher::TakeCandidates(Round& round) const {
  MutexLock lock(mutex_);
  // A worker with several parked calls gets one job a round: each sees the grants before.
  for (const auto& [id, waiter] : waiters_) {
    if (id > round.last_wait) break;
    if (waiter.seen < round.change) round.candidates.try_emplace(waiter.worker, waiter.request_id);
  }
}

std::set<std::string> Dispatcher::Waiting() const {
  MutexLock lock(mutex_);
  std::set<std::string> out;
  for (const auto& [id, waiter] : waiters_) out.insert(waiter.worker);
  return out;
}

Snapshot Dispatcher::SnapshotOf(const std::vector<storage::JobRecord>& queued,
                                const std::vector<WorkerStanding>& standings,
                                const std::set<std::string>& waiting) const {
  Snapshot out{environment_.clock.Now(), start_deadline_, {}, {}};
  for (const storage::JobRecord& record : queued) {
    out.jobs.push_back({.id = record.id,
                        .kind = KindOf(record.job),
                        .requirements = record.job.requirements(),
                        .submitter = record.job.submitter(),
                        .priority = record.job.priority(),
                        .queued_at = WallTime(std::chrono::nanoseconds(record.queued_at)),
                        .timeout = FromProto(record.job.timeout()),
                        .shape = record.shape});
  }
  out.workers.reserve(standings.size());
  for (const WorkerStanding& standing : standings) {
    const bool open = standing.TakesJobs();
    out.workers.push_back({standing.load, open && waiting.contains(standing.load->id), open});
  }
  return out;
}

absl::Status Dispatcher::Place(storage::Transaction& tx, Round& round) {
  const size_t calls = Begin(round);
  if (calls == 0) return absl::OkStatus();
  const int64_t now = environment_.clock.Now().time_since_epoch().count();
  const auto per_group = static_cast<int64_t>(std::min(calls + kMaxReservations, kMaxPlaced));
  ASSIGN_OR_RETURN(std::vector<storage::JobRecord> queued, tx.jobs().ListQueued(now, per_group));
  std::vector<WorkerStanding> standings;
  Decision decision;
  if (!queued.empty()) {
    TakeCandidates(round);
    standings = workers_.Standings();
    std::set<std::string> waiting;
    for (const auto& [worker, request] : round.candidates) waiting.insert(worker);
    const Snapshot snapshot = SnapshotOf(queued, standings, waiting);
    decision = Decide(snapshot);
    if (decision.placements.size() > kMaxPlaced) decision.placements.resize(kMaxPlaced);
    for (const Placement& placement : decision.placements) {
      RETURN_IF_ERROR(Assign(tx, queued[placement.job], standings[placement.worker].load->id, placement,
                             GrantOf(snapshot.jobs[placement.job], placement.devices, snapshot), round));
    }
  }
  return FindLookAgain(tx, standings, !decision.reservations.empty(), round);
}

absl::Status Dispatcher::FindLookAgain(storage::Transaction& tx, const std::vector<WorkerStanding>& standings,
                                       bool reserved, Round& round) const {
  const WallTime now = environment_.clock.Now();
  std::chrono::nanoseconds wait = std::chrono::nanoseconds::max();
  // Ageing and overdue jobs may move a reservation.
  if (reserved) wait = kReservationLook;
  for (const WorkerStanding& standing : standings) {
    if (standing.sick_for.count() > 0) wait = std::min(wait, standing.sick_for);
  }
  ASSIGN_OR_RETURN(const int64_t start, tx.jobs().NextEarliestStart(now.time_since_epoch().count()));
  if (start > 0) wait = std::min(wait, WallTime(std::chrono::nanoseconds(start)) - now);
  if (wait != std::chrono::nanoseconds::max()) round.look_again = environment_.clock.Monotonic() + wait;
  return absl::OkStatus();
}

absl::Status Dispatcher::Assign(storage::Transaction& tx, storage::JobRecord& record, const std::string& worker_id,
                                const Placement& placement, const Grant& grant, Round& round) {
  ASSIGN_OR_RETURN(const storage::WorkerRecord worker, tx.workers().Get(worker_id));
  const std::string token = environment_.random.Bytes(kTokenBytes);
  const WallTime now = environment_.clock.Now();
  const std::string& request_id = round.candidates.at(worker_id);
  const v1::Attempt attempt = core::Assign(record,
                                           {.worker = worker_id,
                                            .incarnation = worker.worker.incarnation(),
                                            .request_id = request_id,
                                            .token_sha256 = Sha256Hex(token),
                                            .devices = placement.devices},
                                           now);
  RETURN_IF_ERROR(SaveJob(tx, record, now));
  RETURN_IF_ERROR(tx.jobs().PutAttempt({record.id, record.attempt}, attempt));

  Placed& out = round.placed.emplace_back();
  out.worker = worker_id;
  out.request_id = request_id;
  out.attempt = {record.id, record.attempt};
  out.grant = grant;
  out.grant.attempt = record.attempt;
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

void Dispatcher::Finish(const absl::Status& status, Round& round) {
  if (!status.ok()) {
    // The jobs stay queued and the calls parked; the next change or tick tries again.
    spdlog::warn("placing jobs failed: {}", std::string(status.message()));
    round.placed.clear();
    round.look_again = environment_.clock.Monotonic();
  }
  for (Placed& one : round.placed) workers_.AddGrant(one.worker, one.attempt.job, one.grant);
  std::vector<std::pair<LeaseCallback, v1::LeaseJobResponse>> answers;
  bool again = false;
  {
    MutexLock lock(mutex_);
    for (Placed& one : round.placed) {
      assigned_[one.attempt] = {one.worker, one.request_id, one.lease,
                                environment_.clock.Monotonic() + start_deadline_};
      v1::LeaseJobResponse response;
      *response.mutable_lease() = std::move(one.lease);
      // By request id: the call may have been repeated meanwhile. None: its caller is gone, and may yet ask again.
      for (LeaseCallback& callback : TakeWaiters(one.worker, one.request_id)) {
        answers.emplace_back(std::move(callback), response);
      }
    }
    // A round that placed something may have left calls of the same worker, or jobs beyond the first of their shape.
    if (!round.placed.empty()) ++changes_;
    bool unseen = false;
    for (auto& [id, waiter] : waiters_) {
      if (status.ok() && id <= round.last_wait) waiter.seen = std::max(waiter.seen, round.change);
      unseen = unseen || waiter.seen < changes_;
    }
    look_again_ = Earlier(look_again_, round.look_again);
    again = (std::exchange(again_, false) || !round.placed.empty()) && unseen;
    dispatching_ = again;
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
    kick = look_again_ && *look_again_ <= now;
    if (kick) look_again_.reset();
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
