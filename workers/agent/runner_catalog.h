// The runners a worker offers: every executable `benchwire-KIND` in a directory that describes itself. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_
#define BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "benchwire/v1/runner.pb.h"

namespace benchwire::agent {

inline constexpr int kContractVersion = 1;

struct OfferedRunner {
  std::filesystem::path path;
  v1::RunnerDescription description;
};

// By kind.
using RunnerCatalog = std::map<std::string, OfferedRunner>;

// Runs `benchwire-* --describe` for every executable in `directory` but the worker, the server and the command line,
// each within `timeout`. One that gives no valid description, speaks another contract version or has the kind of an
// earlier one (in the order of their file names) is not offered, and the log says why.
RunnerCatalog FindRunners(const std::filesystem::path& directory, const std::string& keeper,
                          std::chrono::milliseconds timeout);

// What `--describe` printed. INVALID_ARGUMENT/BAD_FIELD.
absl::StatusOr<v1::RunnerDescription> ParseDescription(const std::string& text);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_
