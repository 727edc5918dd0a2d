// Child processes, started with posix_spawn: a process with gRPC's threads must not fork by itself.
#ifndef BENCHWIRE_CLIENTS_CLI_CHILD_H_
#define BENCHWIRE_CLIENTS_CLI_CHILD_H_

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/signals.h"

namespace benchwire::cli {

// Runs `argv` in the foreground with our terminal, our environment and `extra` in it, and waits. The exit status; 128 +
// N where signal N ended it. argv[0] is looked for in PATH where it has no slash. NOT_FOUND or UNKNOWN where it could
// not be started.
absl::StatusOr<int> RunInForeground(Signals& signals, const std::vector<std::string>& argv,
                                    const std::map<std::string, std::string>& extra);

// Runs `argv` without input and gives what it printed on its standard output, at most 1 MiB. DEADLINE_EXCEEDED: it took
// longer and was killed. FAILED_PRECONDITION: it ended with another status than 0.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& argv, std::chrono::milliseconds timeout);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_CHILD_H_
