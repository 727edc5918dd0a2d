#include "workers/agent/runner_catalog.h"

#include <google/protobuf/util/json_util.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "server/base/clock.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "workers/agent/child_process.h"
#include "workers/agent/outcome.h"
#include "workers/agent/runner_environment.h"
#include "workers/agent/safe_text.h"
#include "workers/agent/supervise.h"

namespace benchwire::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxDescription = size_t{64} << 10;

// Keeps a bounded part of what the runner prints.
class Capture final : public OutputSink {
 public:
  void OnLog(std::string_view bytes) override { text.append(bytes.substr(0, kMaxDescription - text.size())); }
  bool WantsEvents() override { return true; }
  absl::Status OnEvents(std::string_view) override { return absl::OkStatus(); }
  std::string text;
};

// `environment` is given to the runner now and for every job, and so are the variables that it asks for, where set.
absl::StatusOr<OfferedRunner> Offer(const fs::path& runner, std::vector<std::string> environment,
                                    const std::string& keeper, std::chrono::milliseconds timeout) {
  ChildSpec spec;
  spec.keeper = keeper;
  spec.program = runner;
  spec.arguments = {"--describe"};
  spec.environment = BaseEnvironment();
  spec.environment.insert(spec.environment.end(), environment.begin(), environment.end());
  ASSIGN_OR_RETURN(const auto child, ChildProcess::Start(spec));
  StopRequest stop;
  Capture capture;
  const SystemClock clock;
  const RunnerEnd end = Supervise(*child, stop, capture, {timeout, std::chrono::milliseconds(0)}, clock);
  if (stop.cause() == StopCause::kTimeout) {
    return absl::DeadlineExceededError("no description within " + std::to_string(timeout.count()) + " ms");
  }
  if (end.exit.kind != ChildExit::Kind::kExited || end.exit.code != 0) {
    while (capture.text.ends_with('\n')) capture.text.pop_back();
    if (!capture.text.empty()) return absl::InvalidArgumentError(SafeText(capture.text, 2000));
    return absl::InvalidArgumentError(DecideOutcome(end, StopCause::kNone, false, std::nullopt).message);
  }
  ASSIGN_OR_RETURN(v1::RunnerDescription description, ParseDescription(capture.text));
  for (const std::string& name : description.environment()) {
    if (const char* value = std::getenv(name.c_str())) environment.push_back(name + "=" + value);
  }
  return OfferedRunner{runner, std::move(description), std::move(environment)};
}

std::vector<fs::path> Candidates(const fs::path& directory) {
  static const std::set<std::string> kNotRunners = {"benchwire-worker", "benchwire-server", "benchwire",
                                                    kCommandRunner};
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    std::error_code ignored;
    if (name.rfind("benchwire-", 0) != 0 || kNotRunners.count(name) != 0) continue;
    if (entry.is_regular_file(ignored) && access(entry.path().c_str(), X_OK) == 0) found.push_back(entry.path());
  }
  if (error) spdlog::warn("runners not listed directory={} error=\"{}\"", directory.string(), error.message());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

absl::StatusOr<v1::RunnerDescription> ParseDescription(const std::string& text) {
  v1::RunnerDescription description;
  google::protobuf::util::JsonParseOptions options;
  // A newer runner may say more than this worker knows.
  options.ignore_unknown_fields = true;
  if (const auto status = google::protobuf::util::JsonStringToMessage(text, &description, options); !status.ok()) {
    return BadField("description", SafeText(text, 100), "the JSON of a RunnerDescription");
  }
  if (!IsSlug(description.kind())) {
    return BadField("description.kind", SafeText(description.kind(), 100), "a kind of [a-z0-9-]{1,63}");
  }
  if (description.contract_version() != kContractVersion) {
    return BadField("description.contract_version", std::to_string(description.contract_version()),
                    "version " + std::to_string(kContractVersion));
  }
  if (description.version().empty() || description.version().size() > 64) {
    return BadField("description.version", SafeText(description.version(), 100), "a version of 1 to 64 bytes");
  }
  return description;
}

RunnerCatalog FindRunners(const fs::path& directory, const std::string& keeper, std::chrono::milliseconds timeout) {
  RunnerCatalog catalog;
  for (const fs::path& path : Candidates(directory)) {
    auto runner = Offer(path, {}, keeper, timeout);
    if (!runner.ok()) {
      spdlog::warn("runner not offered path={} reason=\"{}\"", path.string(),
                   SafeText(std::string(runner.status().message()), 500));
      continue;
    }
    const std::string kind = runner->description.kind();
    const bool added = catalog.emplace(kind, *std::move(runner)).second;
    if (added) {
      spdlog::info("runner offered kind={} path={}", kind, path.string());
    } else {
      spdlog::warn("runner not offered path={} reason=\"{} already offers {}\"", path.string(),
                   catalog[kind].path.string(), kind);
    }
  }
  return catalog;
}

absl::StatusOr<OfferedRunner> OfferCommands(const fs::path& directory, const fs::path& commands,
                                            const std::string& keeper, std::chrono::milliseconds timeout) {
  const fs::path runner = directory / kCommandRunner;
  if (access(runner.c_str(), X_OK) != 0) {
    return absl::InvalidArgumentError("there is no " + std::string(kCommandRunner) + " in " + directory.string());
  }
  ASSIGN_OR_RETURN(OfferedRunner offered, Offer(runner, {"BENCHWIRE_COMMANDS=" + commands.string()}, keeper, timeout));
  for (const std::string& name : offered.description.backends()) spdlog::info("command offered name={}", name);
  for (const auto& [name, why] : offered.description.unavailable_backends()) {
    spdlog::warn("command not offered name={} reason=\"{}\"", name, SafeText(why, 500));
  }
  return offered;
}

}  // namespace benchwire::agent
