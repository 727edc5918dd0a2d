// Hands queued jobs to waiting workers. Workers' LeaseJob calls are parked here; whenever something changes, one
// transaction places queued jobs on them (see scheduling.h), and each call is answered once its lease is on disk. Also
// remembers leases that were given and not started: for a call that is repeated, and to take them back in time. Any
// thread; nothing here blocks.
#ifndef BENCHWIRE_SERVER_CORE_DISPATCHER_H_
#define BENCHWIRE_SERVER_CORE_DISPATCHER_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/base/mutex.h"
#include "server/core/environment.h"
#include "server/core/scheduling.h"
#include "server/core/worker_table.h"

namespace benchwire::core {

class Dispatcher {
 public:
  // Gets the response to one LeaseJob call, once. Must not block.
  using LeaseCallback = std::function<void(absl::StatusOr<v1::LeaseJobResponse>)>;
  using WaitId = int64_t;

  // `start_deadline`: how long a worker may take from lease to StartAttempt.
  Dispatcher(CoreEnvironment environment, WorkerTable& workers, std::chrono::nanoseconds start_deadline);

  // Parks a call for at most `wait`. The callback may run before this returns. A call with the same request id that is
  // parked still is answered without a lease: its caller has given it up.
  WaitId Lease(const std::string& worker, const std::string& request_id, std::chrono::nanoseconds wait,
               LeaseCallback callback);
  // The caller is gone: its callback will not run after this, and no job is given to it.
  void Forget(WaitId id);

  // The worker's session has ended: its parked calls are answered without a lease.
  void ForgetWorker(const std::string& worker);

  // Something changed that may let a job be placed: every parked call is looked at.
  void Kick();

  // Workers with a parked call.
  std::set<std::string> Waiting() const;
  // What the policy sees: these jobs, and the workers as they stand, in the same order; those in `waiting` ask for a
  // job.
  Snapshot SnapshotOf(const std::vector<storage::JobRecord>& queued, const std::vector<WorkerStanding>& standings,
                      const std::set<std::string>& waiting) const;

  // Takes in a lease found in the store when the server starts: it gets a full deadline.
  void AddAssigned(const AttemptId& attempt, const std::string& worker);
  // The attempt was started or ended: its lease is not handed out again.
  void Settle(const AttemptId& attempt);
  // Leases not started in time.
  std::vector<AttemptId> Overdue() const;

  // Answers calls whose wait is over, and places jobs whose time has come.
  void Tick();
  // Answers every parked call without a lease; later ones at once.
  void Stop();

 private:
  struct Waiter {
    std::string worker;
    std::string request_id;
    MonotonicTime deadline;
    LeaseCallback callback;
    int64_t seen = 0;  // The change after which a dispatch found nothing for it.
  };
  struct Assigned {
    std::string worker;
    std::string request_id;
    v1::Lease lease;  // Empty for one found in the store: the token is not stored.
    MonotonicTime deadline;
  };
  struct Placed {
    std::string worker;
    std::string request_id;
    AttemptId attempt;
    v1::Lease lease;
    Grant grant;
  };

  // One round: what it looks at, and what it places.
  struct Round {
    int64_t change = 0;                             // The last change it knows of.
    WaitId last_wait = 0;                           // The last call it knows of.
    std::map<std::string, std::string> candidates;  // Workers to be looked at, and their calls' request ids.
    std::vector<Placed> placed;
    std::optional<MonotonicTime> look_again;  // When time alone may let a job be placed.
  };

  // Starts a round, where none is under way.
  void Start() EXCLUDES(mutex_);
  void Dispatch();
  // How many parked calls have not been looked at since the last change.
  size_t Begin(Round& round) const;
  void TakeCandidates(Round& round) const;
  absl::Status Place(storage::Transaction& tx, Round& round);
  absl::Status Assign(storage::Transaction& tx, storage::JobRecord& record, const std::string& worker_id,
                      const Placement& placement, const Grant& grant, Round& round);
  // When to look again although nothing changed.
  absl::Status FindLookAgain(storage::Transaction& tx, const std::vector<WorkerStanding>& standings, bool reserved,
                             Round& round) const;
  void Finish(const absl::Status& status, Round& round);
  // Takes out a worker's waiters, those with this request id only where one is given.
  std::vector<LeaseCallback> TakeWaiters(const std::string& worker, const std::string& request_id) REQUIRES(mutex_);

  CoreEnvironment environment_;
  WorkerTable& workers_;
  const std::chrono::nanoseconds start_deadline_;

  mutable Mutex mutex_;
  WaitId next_id_ GUARDED_BY(mutex_) = 1;
  std::map<WaitId, Waiter> waiters_ GUARDED_BY(mutex_);
  std::map<AttemptId, Assigned> assigned_ GUARDED_BY(mutex_);
  bool dispatching_ GUARDED_BY(mutex_) = false;  // One transaction at a time: each sees the grants of the one before.
  bool again_ GUARDED_BY(mutex_) = false;
  int64_t changes_ GUARDED_BY(mutex_) = 1;
  std::optional<MonotonicTime> look_again_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_DISPATCHER_H_
