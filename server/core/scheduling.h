// Which job goes to which worker: a pure function of a snapshot.
//
// Jobs are looked at in the order of queue_order.h, and each is placed on the waiting worker where it fits and leaves
// the least behind: fewest free devices, then fewest free CPUs, so that large machines stay whole for large jobs. A job
// that fits nowhere does not hold up those behind it, but where it needs several things at once (more than one device
// or CPU, memory, or a machine for itself) it reserves the worker on which it is expected to fit first. Jobs behind it
// are then placed on that worker only where they do not delay it: their timeout is over before it can start, or it
// still fits beside them. So it starts when the jobs that run there now have ended, at their timeouts at the latest
// (EASY backfilling: Lifka, JSSPP 1995). A running job is never stopped for another.
#ifndef BENCHWIRE_SERVER_CORE_SCHEDULING_H_
#define BENCHWIRE_SERVER_CORE_SCHEDULING_H_

#include <string>
#include <vector>

#include "server/core/scheduling_snapshot.h"

namespace benchwire::core {

// So many blocked jobs hold a reservation at a time, each on a worker of its own.
inline constexpr size_t kMaxReservations = 4;

struct Placement {
  size_t job = 0;     // Index into the snapshot's jobs.
  size_t worker = 0;  // Index into the snapshot's workers.
  std::vector<std::string> devices;
};

struct Reservation {
  size_t job = 0;
  size_t worker = 0;
  WallTime start;  // When the job is expected to fit there at the latest.
};

struct Decision {
  std::vector<Placement> placements;  // At most one on each waiting worker.
  // In the order of their jobs. Those of jobs that stand behind the last one placed may be missing where every waiting
  // worker got a job.
  std::vector<Reservation> reservations;
};

Decision Decide(const Snapshot& snapshot);

// Whether a job that fits the worker now may be placed there without delaying the job that reserved it.
bool MayBackfill(const WorkerLoad& load, const QueuedJob& job, const std::vector<std::string>& devices,
                 const QueuedJob& reserving, WallTime start, const Snapshot& snapshot);

// What a job of the queue is granted by a placement at the snapshot's time.
Grant GrantOf(const QueuedJob& job, const std::vector<std::string>& devices, const Snapshot& snapshot);

// What scheduling needs to know of a job beside its priority, submitter and place, as 16 hex digits: jobs of one shape
// have the same kind, requirements and timeout, so where one does not fit, none does.
std::string ShapeOf(const v1::Job& job);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_SCHEDULING_H_
