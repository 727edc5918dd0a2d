// When a worker counts as sick: a pure rule, with the clock passed in. A job that crashes wherever it runs is the job's
// fault and ends by its own limits; a worker on which different jobs crash one after the other is left alone for a
// while.
#ifndef BENCHWIRE_SERVER_CORE_WORKER_HEALTH_H_
#define BENCHWIRE_SERVER_CORE_WORKER_HEALTH_H_

#include <benchwire/v1/agent_service.pb.h>

#include <set>
#include <string>

#include "server/base/clock.h"

namespace benchwire::core {

// Crashes of so many different jobs, without a success between them, make a worker sick.
inline constexpr size_t kCrashesToBeSick = 3;
// The first time for a minute, then twice as long each time, at most half an hour.
inline constexpr std::chrono::minutes kFirstSickness{1};
inline constexpr std::chrono::minutes kLongestSickness{30};

// How an attempt speaks for or against its worker.
enum class AttemptVerdict {
  kSucceeded,
  kCrashed,  // Its runner was ended by a signal, or could not be started.
  kNeither,  // It failed, was stopped or was given back.
};
AttemptVerdict VerdictOf(const v1::CompleteAttemptRequest& request);

struct WorkerHealth {
  std::set<std::string> crashed_jobs;  // Since the last success or sickness.
  int sicknesses = 0;                  // Since the last success.
  MonotonicTime sick_until;            // In the past: not sick.
};

// Takes in how an attempt ended; returns whether the worker has fallen sick by it. A success clears everything. After a
// sickness the next crash makes the worker sick again. Crashes while it is sick are of jobs that it had before, and do
// not count.
bool TakeIn(WorkerHealth& health, const std::string& job, AttemptVerdict verdict, MonotonicTime now);

bool IsSick(const WorkerHealth& health, MonotonicTime now);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_WORKER_HEALTH_H_
