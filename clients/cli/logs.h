// Logs of attempts as raw bytes.
#ifndef BENCHWIRE_CLIENTS_CLI_LOGS_H_
#define BENCHWIRE_CLIENTS_CLI_LOGS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// The name of the job's latest attempt. FAILED_PRECONDITION: it has none yet.
absl::StatusOr<std::string> LatestAttempt(Session& session, const std::string& job);

// The attempt meant by `job`, which is a job or an attempt, and by a number where that is given with it; without one
// the job's latest. INVALID_ARGUMENT, FAILED_PRECONDITION.
absl::StatusOr<std::string> ChosenAttempt(Session& session, const std::string& job,
                                          const std::optional<std::string>& number);

// Writes the log of an attempt, or of a job's latest attempt, to the output. With `follow`, goes on until the attempt
// has ended; of a job, through all its attempts until the job has. FAILED_PRECONDITION: the job has no attempt yet and
// `follow` is false.
absl::StatusOr<int> PrintLog(Session& session, const std::string& job_or_attempt, bool follow);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_LOGS_H_
