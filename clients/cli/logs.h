// Logs of attempts as raw bytes.
#ifndef BENCHWIRE_CLIENTS_CLI_LOGS_H_
#define BENCHWIRE_CLIENTS_CLI_LOGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// The name of the job's latest attempt. FAILED_PRECONDITION: it has none yet.
absl::StatusOr<std::string> LatestAttempt(Session& session, const std::string& job);

// Writes the log of an attempt, or of a job's latest attempt, to the output. With `follow`, goes on until the attempt
// has ended; of a job, through all its attempts until the job has. FAILED_PRECONDITION: the job has no attempt yet and
// `follow` is false.
absl::StatusOr<int> PrintLog(Session& session, const std::string& job_or_attempt, bool follow);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_LOGS_H_
