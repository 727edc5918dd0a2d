// When a queued job may start: the policy of scheduling.h played forward. Pure.
#ifndef BENCHWIRE_SERVER_CORE_FORECAST_H_
#define BENCHWIRE_SERVER_CORE_FORECAST_H_

#include <cstddef>
#include <optional>

#include "server/core/scheduling_snapshot.h"

namespace benchwire::core {

// When the job starts at the latest, if every job of the snapshot runs to its timeout, every open worker asks for jobs
// and nothing else changes. Nothing where it does not start on these workers, or where finding out would take more than
// 512 jobs, 256 open workers or 256 ends of jobs.
std::optional<WallTime> ExpectedStart(Snapshot snapshot, size_t job);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_FORECAST_H_
