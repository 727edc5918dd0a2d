#include "server/core/lifecycle.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "server/base/resource_name.h"
#include "server/base/sha256.h"
#include "server/base/status.h"

namespace benchwire::core {
namespace {

constexpr int kMaxLosses = 3;
constexpr size_t kMaxWorkersLost = 2;

// 1 s, 2 s, 4 s … at most 5 min before the next attempt of a job that failed, each ±20 %, so that jobs which failed
// together do not come back together.
std::chrono::nanoseconds Backoff(int failed_attempts, RandomSource& random) {
  const int base = std::min(1 << std::min(failed_attempts - 1, 16), 300);
  const double fraction = static_cast<double>(RandomSeed(random)) / static_cast<double>(INT64_MAX);
  return std::chrono::nanoseconds(std::llround(base * 1e9 * (0.8 + 0.4 * fraction)));
}

void SetReason(v1::Job& job, const std::string& code, const std::string& message) {
  job.mutable_reason()->set_code(code);
  job.mutable_reason()->set_message(message);
}

void Finish(v1::Job& job, v1::JobState state, WallTime now) {
  job.set_state(state);
  *job.mutable_end_time() = ToProto(now);
  job.set_cancel_requested(false);
}

void Requeue(storage::JobRecord& record, WallTime now) {
  record.job.set_state(v1::JOB_STATE_QUEUED);
  record.job.clear_start_time();
  SetExpiry(record, now);
}

void EndFailed(storage::JobRecord& record, const Ending& ending, WallTime now, RandomSource& random) {
  v1::Job& job = record.job;
  job.set_failed_attempts(job.failed_attempts() + 1);
  if (job.cancel_requested()) {
    Finish(job, v1::JOB_STATE_CANCELLED, now);
  } else if (ending.may_try_again && job.failed_attempts() < job.max_attempts()) {
    *job.mutable_earliest_start_time() = ToProto(now + Backoff(job.failed_attempts(), random));
    Requeue(record, now);
  } else {
    *job.mutable_reason() = ending.reason;
    Finish(job, v1::JOB_STATE_FAILED, now);
  }
}

void EndLost(storage::JobRecord& record, const v1::Attempt& attempt, const std::vector<std::string>& lost_workers,
             WallTime now) {
  v1::Job& job = record.job;
  record.lease.token_sha256.clear();  // Whatever the lost worker still sends is stale.
  job.set_lost_attempts(job.lost_attempts() + 1);
  std::set<std::string> workers(lost_workers.begin(), lost_workers.end());
  workers.insert(attempt.worker());
  if (job.cancel_requested()) {
    Finish(job, v1::JOB_STATE_CANCELLED, now);
  } else if (job.lost_attempts() >= kMaxLosses || workers.size() >= kMaxWorkersLost) {
    SetReason(job, "WORKERS_LOST",
              "its workers were lost " + std::to_string(job.lost_attempts()) + " times, on " +
                  std::to_string(workers.size()) + " different workers");
    Finish(job, v1::JOB_STATE_QUARANTINED, now);
  } else {
    Requeue(record, now);
  }
}

}  // namespace

bool IsTerminal(v1::JobState state) { return state >= v1::JOB_STATE_SUCCEEDED; }
bool IsEnded(v1::AttemptState state) { return state >= v1::ATTEMPT_STATE_SUCCEEDED; }

v1::Attempt Assign(storage::JobRecord& record, const Assignment& assignment, WallTime now) {
  ++record.attempt;
  record.lease = {record.lease.epoch + 1, assignment.token_sha256, assignment.worker, assignment.incarnation,
                  assignment.request_id};
  record.job.set_state(v1::JOB_STATE_ASSIGNED);
  record.job.clear_earliest_start_time();
  record.job.clear_reason();
  v1::Attempt attempt;
  attempt.set_name(AttemptName({record.id, record.attempt}));
  attempt.set_worker(WorkerName(assignment.worker));
  attempt.set_incarnation(assignment.incarnation);
  attempt.set_state(v1::ATTEMPT_STATE_ASSIGNED);
  attempt.mutable_devices()->Assign(assignment.devices.begin(), assignment.devices.end());
  *attempt.mutable_assign_time() = ToProto(now);
  return attempt;
}

bool HoldsToken(const v1::Fence& fence, const std::string& token_sha256) {
  const std::string sent = Sha256Hex(fence.token());
  return sent.size() == token_sha256.size() && CRYPTO_memcmp(sent.data(), token_sha256.data(), sent.size()) == 0;
}

absl::Status CheckFence(const storage::JobRecord& record, const v1::Fence& fence) {
  if (HoldsToken(fence, record.lease.token_sha256) && fence.epoch() == record.lease.epoch &&
      fence.attempt() == AttemptName({record.id, record.attempt})) {
    return absl::OkStatus();
  }
  return Precondition("STALE_LEASE", fence.attempt() + " is not held by the caller any more",
                      {{"attempt", fence.attempt()}});
}

absl::Status Start(storage::JobRecord& record, v1::Attempt& attempt, WallTime now) {
  if (attempt.state() == v1::ATTEMPT_STATE_RUNNING) return absl::OkStatus();
  if (attempt.state() == v1::ATTEMPT_STATE_CANCELLED) {
    return Precondition("CANCELLED", JobName(record.id) + " was cancelled before it started");
  }
  if (attempt.state() != v1::ATTEMPT_STATE_ASSIGNED) {
    return Precondition("STALE_LEASE", attempt.name() + " has ended", {{"attempt", attempt.name()}});
  }
  attempt.set_state(v1::ATTEMPT_STATE_RUNNING);
  *attempt.mutable_start_time() = ToProto(now);
  record.job.set_state(v1::JOB_STATE_RUNNING);
  *record.job.mutable_start_time() = ToProto(now);
  return absl::OkStatus();
}

Ending EndingOf(const v1::CompleteAttemptRequest& request) {
  Ending ending;
  ending.reason = request.reason();
  switch (request.outcome()) {
    case v1::ATTEMPT_OUTCOME_SUCCEEDED:
      ending.state = v1::ATTEMPT_STATE_SUCCEEDED;
      break;
    case v1::ATTEMPT_OUTCOME_BAD_SPEC:
      ending.may_try_again = false;
      ending.state = v1::ATTEMPT_STATE_FAILED;
      break;
    case v1::ATTEMPT_OUTCOME_TIMED_OUT:
      ending.state = v1::ATTEMPT_STATE_TIMED_OUT;
      break;
    case v1::ATTEMPT_OUTCOME_CANCELLED:
      ending.state = v1::ATTEMPT_STATE_CANCELLED;
      break;
    case v1::ATTEMPT_OUTCOME_RELEASED:
      ending.state = v1::ATTEMPT_STATE_RELEASED;
      break;
    default:  // FAILED, TRY_AGAIN; others are refused before.
      ending.state = v1::ATTEMPT_STATE_FAILED;
  }
  return ending;
}

void End(storage::JobRecord& record, v1::Attempt& attempt, const Ending& ending,
         const std::vector<std::string>& lost_workers, WallTime now, RandomSource& random) {
  v1::Job& job = record.job;
  attempt.set_state(ending.state);
  if (!ending.reason.code().empty()) *attempt.mutable_reason() = ending.reason;
  *attempt.mutable_end_time() = ToProto(now);
  switch (ending.state) {
    case v1::ATTEMPT_STATE_SUCCEEDED:
      job.clear_reason();
      return Finish(job, v1::JOB_STATE_SUCCEEDED, now);
    case v1::ATTEMPT_STATE_FAILED:
      return EndFailed(record, ending, now, random);
    case v1::ATTEMPT_STATE_TIMED_OUT:
      *job.mutable_reason() = ending.reason;
      return Finish(job, v1::JOB_STATE_TIMED_OUT, now);
    case v1::ATTEMPT_STATE_WORKER_LOST:
      return EndLost(record, attempt, lost_workers, now);
    case v1::ATTEMPT_STATE_CANCELLED:
      if (job.reason().code().empty()) SetReason(job, "CANCELLED", "stopped by its worker");
      return Finish(job, v1::JOB_STATE_CANCELLED, now);
    default:  // RELEASED
      if (job.cancel_requested()) return Finish(job, v1::JOB_STATE_CANCELLED, now);
      return Requeue(record, now);
  }
}

void SetExpiry(storage::JobRecord& record, WallTime now) {
  record.expires_at = 0;
  if (!record.job.has_queue_ttl()) return;
  const WallTime from = std::max(now, FromProto(record.job.earliest_start_time()));
  record.expires_at = (from + FromProto(record.job.queue_ttl())).time_since_epoch().count();
}

void Expire(storage::JobRecord& record, WallTime now) {
  const double seconds = std::chrono::duration<double>(FromProto(record.job.queue_ttl())).count();
  std::ostringstream message;
  message << "it waited in the queue longer than its queue_ttl of " << seconds << " s";
  SetReason(record.job, "QUEUE_EXPIRED", message.str());
  Finish(record.job, v1::JOB_STATE_EXPIRED, now);
}

absl::StatusOr<bool> Cancel(storage::JobRecord& record, v1::Attempt* attempt, const std::string& why, WallTime now) {
  v1::Job& job = record.job;
  if (job.state() == v1::JOB_STATE_CANCELLED || job.cancel_requested()) return false;
  if (IsTerminal(job.state())) {
    return Precondition("ALREADY_TERMINAL", JobName(record.id) + " has ended as " + v1::JobState_Name(job.state()));
  }
  SetReason(job, "CANCELLED", why.empty() ? "cancelled by a caller" : why);
  if (job.state() == v1::JOB_STATE_RUNNING) {
    job.set_cancel_requested(true);
    return true;
  }
  if (attempt != nullptr && !IsEnded(attempt->state())) {
    attempt->set_state(v1::ATTEMPT_STATE_CANCELLED);
    *attempt->mutable_end_time() = ToProto(now);
  }
  Finish(job, v1::JOB_STATE_CANCELLED, now);
  return true;
}

}  // namespace benchwire::core
