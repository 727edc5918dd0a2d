// benchwire jobs explain.
#ifndef BENCHWIRE_CLIENTS_CLI_EXPLAIN_H_
#define BENCHWIRE_CLIENTS_CLI_EXPLAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// Prints why the job waits, worker by worker.
absl::StatusOr<int> ExplainJob(Session& session, const std::string& text);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_EXPLAIN_H_
