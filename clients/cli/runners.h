// The runners on this machine: programs named `benchwire-KIND`.
#ifndef BENCHWIRE_CLIENTS_CLI_RUNNERS_H_
#define BENCHWIRE_CLIENTS_CLI_RUNNERS_H_

#include <benchwire/v1/runner.pb.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::cli {

// Directories to look in, in order: `runners_dir` alone where it is not empty, else the directory of this executable
// and those of PATH.
std::vector<std::string> RunnerDirectories(const std::string& runners_dir);
// The path of the runner of a kind. NOT_FOUND naming where it was looked for.
absl::StatusOr<std::string> FindRunner(const std::string& kind, const std::vector<std::string>& directories);
// What `RUNNER --describe` says, asked for at most 20 s.
absl::StatusOr<v1::RunnerDescription> DescribeRunner(const std::string& path);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_RUNNERS_H_
