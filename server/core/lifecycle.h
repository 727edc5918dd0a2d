// The life of a job: every move between its states, as pure functions of the records and the time. The stores make each
// move one conditional update; nothing else changes a state. See JobState and AttemptState in
// proto/benchwire/v1/job.proto.
//
//   QUEUED --Assign--> ASSIGNED --Start--> RUNNING --End--> SUCCEEDED | FAILED | CANCELLED | TIMED_OUT | QUARANTINED
//    | ^                   |                  |
//    | +----End------------+------------------+   a lost worker, an unstarted lease, a failure with attempts left
//    +--Expire--> EXPIRED
#ifndef BENCHWIRE_SERVER_CORE_LIFECYCLE_H_
#define BENCHWIRE_SERVER_CORE_LIFECYCLE_H_

#include <benchwire/v1/agent_service.pb.h>
#include <benchwire/v1/job.pb.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "storage/records.h"

namespace benchwire::core {

bool IsTerminal(v1::JobState state);
bool IsEnded(v1::AttemptState state);

struct Assignment {
  std::string worker;
  std::string incarnation;
  std::string request_id;
  std::string token_sha256;
  std::vector<std::string> devices;
};

// Leases a QUEUED job: counts attempt and epoch up and returns the new attempt.
v1::Attempt Assign(storage::JobRecord& record, const Assignment& assignment, WallTime now);

// Whether the caller holds the newest lease of the job. FAILED_PRECONDITION/STALE_LEASE.
absl::Status CheckFence(const storage::JobRecord& record, const v1::Fence& fence);

// Whether the fence has the token with this hash. Compared in constant time.
bool HoldsToken(const v1::Fence& fence, const std::string& token_sha256);

// ASSIGNED to RUNNING; a second call changes nothing. FAILED_PRECONDITION/STALE_LEASE.
absl::Status Start(storage::JobRecord& record, v1::Attempt& attempt, WallTime now);

// How an attempt ended, from the worker's report or from what the server saw.
struct Ending {
  v1::AttemptState state = v1::ATTEMPT_STATE_UNSPECIFIED;
  v1::Reason reason;
  bool may_try_again = true;  // False for a bad spec.
};

// The ending a worker reported.
Ending EndingOf(const v1::CompleteAttemptRequest& request);

// Ends the latest attempt and moves the job on. `lost_workers`: the workers of the job's attempts that ended
// WORKER_LOST before. `random`: how long a job that failed waits for its next attempt is drawn within ±20 %.
void End(storage::JobRecord& record, v1::Attempt& attempt, const Ending& ending,
         const std::vector<std::string>& lost_workers, WallTime now, RandomSource& random);

// Sets when a job that is QUEUED from `now` on, or from its earliest start where that is later, expires.
void SetExpiry(storage::JobRecord& record, WallTime now);
// Ends a QUEUED job that has waited longer than its queue_ttl.
void Expire(storage::JobRecord& record, WallTime now);

// Asks for an end. A QUEUED or ASSIGNED job ends at once, `attempt` with it; a RUNNING one is marked. Returns whether
// anything changed. FAILED_PRECONDITION/ALREADY_TERMINAL: it ended otherwise.
absl::StatusOr<bool> Cancel(storage::JobRecord& record, v1::Attempt* attempt, const std::string& why, WallTime now);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_LIFECYCLE_H_
