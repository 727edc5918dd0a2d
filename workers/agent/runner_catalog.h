// The runners a worker offers: every executable `benchwire-KIND` in a directory that describes itself. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_
#define BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "benchwire/v1/runner.pb.h"

namespace benchwire::agent {

inline constexpr int kContractVersion = 1;

struct OfferedRunner {
  std::filesystem::path path;
  v1::RunnerDescription description;
  // `NAME=value`, beside what every runner gets.
  std::vector<std::string> environment;
};

// By kind.
using RunnerCatalog = std::map<std::string, OfferedRunner>;

// Runs `benchwire-* --describe` for every executable in `directory` but the worker, the server, the command line and
// kCommandRunner, each within `timeout`. One that gives no valid description, speaks another contract version or has
// the kind of an earlier one (in the order of their file names) is not offered, and the log says why.
RunnerCatalog FindRunners(const std::filesystem::path& directory, const std::string& keeper,
                          std::chrono::milliseconds timeout);

// The runner of outside programs. It is offered only where the operator has defined some, in a directory of his choice.
inline constexpr char kCommandRunner[] = "benchwire-command";

// The runner `kCommandRunner` of `directory` with the definitions in `commands`. INVALID_ARGUMENT with what it says of
// them where one is wrong.
absl::StatusOr<OfferedRunner> OfferCommands(const std::filesystem::path& directory,
                                            const std::filesystem::path& commands, const std::string& keeper,
                                            std::chrono::milliseconds timeout);

// What `--describe` printed. INVALID_ARGUMENT/BAD_FIELD.
absl::StatusOr<v1::RunnerDescription> ParseDescription(const std::string& text);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_RUNNER_CATALOG_H_
