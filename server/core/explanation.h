// Why a job waits, from one moment of the queue and of the workers. Pure.
#ifndef BENCHWIRE_SERVER_CORE_EXPLANATION_H_
#define BENCHWIRE_SERVER_CORE_EXPLANATION_H_

#include <benchwire/v1/job_service.pb.h>

#include <vector>

#include "server/core/scheduling_snapshot.h"
#include "server/core/worker_table.h"
#include "storage/job_store.h"

namespace benchwire::core {

struct QueueMoment {
  std::vector<storage::QueuePlace> places;  // Every QUEUED job.
  // Jobs that may start now, the first of each shape; workers as in `standings`, in the same order.
  Snapshot snapshot;
  std::vector<WorkerStanding> standings;
};

// For a job in any state. Where it does not wait, only its state is explained and the moment is not looked at.
v1::JobExplanation Explain(const storage::JobRecord& record, const QueueMoment& moment);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_EXPLANATION_H_
