// Which job goes to which worker: pure functions of a snapshot. Jobs are taken by priority, then by their place in the
// queue; a job that fits no waiting worker does not hold up those behind it.
#ifndef BENCHWIRE_SERVER_CORE_SCHEDULING_H_
#define BENCHWIRE_SERVER_CORE_SCHEDULING_H_

#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/worker.pb.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/base/clock.h"

namespace benchwire::core {

// What a job on a worker has been given.
struct Grant {
  int64_t attempt = 0;  // Its number.
  v1::Requirements requirements;
  std::vector<std::string> devices;
};

// What a worker has and what of it is in use, by job id.
struct WorkerLoad {
  v1::Inventory inventory;
  std::map<std::string, Grant> grants;
};

// Why the worker could never run such a job, however idle; empty where it could.
std::string WhyIncapable(const v1::Inventory& inventory, const std::string& kind, const v1::Requirements& requirements);

// The devices the job would be given on the worker as it is now; nothing where it does not fit now.
std::optional<std::vector<std::string>> Fit(const WorkerLoad& load, const std::string& kind,
                                            const v1::Requirements& requirements);

// A queued job as scheduling sees it.
struct QueuedJob {
  std::string id;
  std::string kind;
  v1::Requirements requirements;
  WallTime earliest_start;
};

struct Placement {
  size_t job = 0;     // Index into the jobs.
  size_t worker = 0;  // Index into the workers.
  std::vector<std::string> devices;
};

// Places jobs, in their order, on waiting workers, at most one on each.
std::vector<Placement> PlaceJobs(const std::vector<QueuedJob>& jobs, std::vector<WorkerLoad> waiting, WallTime now);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_SCHEDULING_H_
