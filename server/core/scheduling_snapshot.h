// What scheduling looks at: one moment of the queue and of the workers. Plain data; whoever makes it owns it.
#ifndef BENCHWIRE_SERVER_CORE_SCHEDULING_SNAPSHOT_H_
#define BENCHWIRE_SERVER_CORE_SCHEDULING_SNAPSHOT_H_

#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/worker.pb.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/base/clock.h"

namespace benchwire::core {

// What a job on a worker has been given.
struct Grant {
  int64_t attempt = 0;  // Its number.
  v1::Requirements requirements;
  std::vector<std::string> devices;
  std::string submitter;
  WallTime expected_end;  // When its timeout is over: it ends then at the latest.
};

// What a worker has and what of it is in use. Shared between snapshots, so never changed once it is.
struct WorkerLoad {
  std::string id;
  std::shared_ptr<const v1::Inventory> inventory;
  std::map<std::string, Grant> grants;  // By job id.
};

// A worker in a snapshot.
struct WorkerView {
  std::shared_ptr<const WorkerLoad> load;
  bool waiting = false;  // It asks for a job now.
  bool open = true;      // It takes jobs, now or later: heard from, neither drained nor sick.
};

// A queued job that may start now.
struct QueuedJob {
  std::string id;
  std::string kind;
  v1::Requirements requirements;
  std::string submitter;
  int priority = 0;  // 0 to 100.
  WallTime queued_at;
  std::chrono::nanoseconds timeout{0};
  std::string shape;  // See ShapeOf in scheduling.h.
};

struct Snapshot {
  WallTime now;
  std::chrono::nanoseconds start_deadline{0};  // From a lease to the start of its job, at most.
  std::vector<QueuedJob> jobs;
  std::vector<WorkerView> workers;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_SCHEDULING_SNAPSHOT_H_
