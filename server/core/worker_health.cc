#include "server/core/worker_health.h"

#include <algorithm>

namespace benchwire::core {

AttemptVerdict VerdictOf(const v1::CompleteAttemptRequest& request) {
  if (request.outcome() == v1::ATTEMPT_OUTCOME_SUCCEEDED) return AttemptVerdict::kSucceeded;
  const std::string& code = request.reason().code();
  const bool crashed =
      request.outcome() == v1::ATTEMPT_OUTCOME_FAILED && (code == "RUNNER_CRASHED" || code == "SPAWN_FAILED");
  return crashed ? AttemptVerdict::kCrashed : AttemptVerdict::kNeither;
}

bool TakeIn(WorkerHealth& health, const std::string& job, AttemptVerdict verdict, MonotonicTime now) {
  if (verdict == AttemptVerdict::kSucceeded) health = {};
  if (verdict != AttemptVerdict::kCrashed || IsSick(health, now)) return false;
  health.crashed_jobs.insert(job);
  if (health.sicknesses == 0 && health.crashed_jobs.size() < kCrashesToBeSick) return false;
  constexpr int kMostDoublings = 5;
  health.sick_until =
      now + std::min(kFirstSickness * (1 << std::min(health.sicknesses, kMostDoublings)), kLongestSickness);
  ++health.sicknesses;
  health.crashed_jobs.clear();
  return true;
}

bool IsSick(const WorkerHealth& health, MonotonicTime now) { return now < health.sick_until; }

}  // namespace benchwire::core
