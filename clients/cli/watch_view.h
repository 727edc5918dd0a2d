// Events of jobs as they come.
#ifndef BENCHWIRE_CLIENTS_CLI_WATCH_VIEW_H_
#define BENCHWIRE_CLIENTS_CLI_WATCH_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// All that happened and happens to a job until it has ended; the exit status tells its end (see exit_codes.h).
absl::StatusOr<int> WatchJob(Session& session, const std::string& job);

// What happens to all jobs from now on, until Ctrl-C.
absl::StatusOr<int> WatchAllJobs(Session& session);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_WATCH_VIEW_H_
