// What the worker tells a runner (design: runner contract) and what a runner says of itself. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_KIT_RUNNER_H_
#define BENCHWIRE_WORKERS_KIT_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workers/kit/result.h"

namespace benchwire::kit {

inline constexpr int kContractVersion = 1;

// Exit statuses. Anything else counts as failed too.
inline constexpr int kExitComplete = 0;  // A complete result was written, whatever its verdict.
inline constexpr int kExitFailed = 1;
inline constexpr int kExitVerdict = 2;  // By hand with --fail-on-verdict: a complete result whose verdict is not good.
inline constexpr int kExitBadSpec = 64;
inline constexpr int kExitTryAgain = 75;

// The variables BENCHWIRE_*.
struct RunnerInput {
  std::optional<std::string> spec_path;
  std::optional<std::int64_t> seed;
  std::optional<int> events_fd;
  std::vector<std::string> devices;  // Inventory ids, such as `gpu:GPU-…`, `numa:0`, `core:3`. Empty: no restriction.
};

// std::getenv or a test's stand-in: null where the variable is not set.
using GetVariable = std::function<const char*(const char*)>;

// BAD_ENVIRONMENT naming the variable, its value and what is right.
Result<RunnerInput> ReadRunnerInput(const GetVariable& get);

// The whole text of a spec file. SPEC_UNREADABLE where it cannot be read or has more than 1 MiB.
Result<std::string> ReadSpecFile(const std::string& path);

struct Description {
  std::string kind;
  std::string version;
  std::vector<std::string> backends;
  std::map<std::string, std::string> unavailable_backends;  // Backend to `CODE: reason`.
  std::set<std::string> environment = {};                   // Variables of the worker's that it wants.
};

// The line `--describe` prints: protobuf JSON of benchwire.v1.RunnerDescription.
std::string DescriptionJson(const Description& description);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_RUNNER_H_
