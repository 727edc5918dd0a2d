#include "workers/p2p/app.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "workers/kit/console.h"
#include "workers/kit/ending.h"
#include "workers/kit/event_writer.h"
#include "workers/kit/machine.h"
#include "workers/p2p/campaign.h"
#include "workers/p2p/report.h"

namespace benchwire::p2p {
namespace {

constexpr std::uint64_t kDefaultSeed = 1;

std::chrono::nanoseconds SteadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

int ExitOf(const kit::Error& error) {
  if (error.code == "BAD_SPEC" || error.code == "BAD_USAGE" || error.code == "SPEC_UNREADABLE")
    return kit::kExitBadSpec;
  // The fabric manager or the MPS server may still be starting.
  if (error.code == "FABRIC_NOT_READY" || error.code == "MPS_SERVER_NOT_READY") return kit::kExitTryAgain;
  return kit::kExitFailed;
}

int Fail(const kit::Error& error, kit::EventSink* sink) { return kit::Fail(error, sink, ExitOf(error)); }

void IgnoreWarning(const std::string&, const std::string&) {}

int Describe(const AppOptions& options) {
  kit::Description description{"p2p", BENCHWIRE_VERSION, {}, {}};
  for (const BackendFactory* factory : {&options.host, &options.cuda}) {
    const kit::Status status = factory->check();
    if (status.ok()) {
      description.backends.push_back(factory->name);
    } else {
      description.unavailable_backends[factory->name] = status.error().code + ": " + status.error().message;
    }
  }
  return kit::PrintText(kit::DescriptionJson(description) + "\n");
}

int List(const AppOptions& options) {
  std::string text;
  for (const BackendFactory* factory : {&options.cuda, &options.host}) {
    const auto backend = factory->make({}, options.input.devices, IgnoreWarning);
    text += backend.ok() ? BackendText(**backend)
                         : "backend " + factory->name + " unavailable: " + backend.error().code + ": " +
                               backend.error().message + "\n";
  }
  return kit::PrintText(text);
}

kit::Result<Spec> SpecOf(const AppOptions& options) {
  const std::optional<std::string>& path = options.line.spec_path ? options.line.spec_path : options.input.spec_path;
  if (!options.line.spec_path && options.line.spec_json) return ParseSpec(*options.line.spec_json);
  if (!path) return Spec();
  kit::Result<std::string> text = kit::ReadSpecFile(*path);
  return text.ok() ? ParseSpec(*text) : kit::Result<Spec>(text.error());
}

// The backend the spec asks for. AUTO falls from CUDA to host memory only with a warning, and not where a GPU was
// granted: that it cannot be used is then an error.
kit::Result<std::unique_ptr<Backend>> OpenBackend(const AppOptions& options, const Spec& spec, Warnings& warnings) {
  std::vector<std::string> named;
  for (const PairName& pair : spec.pairs) named.insert(named.end(), {pair.src, pair.dst});
  const Warn warn = [&warnings](const std::string& code, const std::string& message) { warnings.Raise(code, message); };
  if (spec.backend == BackendKind::kHost) return options.host.make(named, options.input.devices, warn);
  auto cuda = options.cuda.make(named, options.input.devices, warn);
  const auto& granted = options.input.devices;
  const bool gpu_granted =
      std::any_of(granted.begin(), granted.end(), [](const auto& id) { return id.starts_with("gpu:"); });
  if (cuda.ok() || spec.backend == BackendKind::kCuda || gpu_granted) return cuda;
  warnings.Raise("FELL_BACK_TO_HOST", "no GPU is measured (" + cuda.error().code + ": " + cuda.error().message +
                                          "); the rows are of host memory");
  return options.host.make(named, options.input.devices, warn);
}

std::map<std::string, std::string> EnvironmentOf(std::uint64_t seed) {
  std::map<std::string, std::string> facts = kit::MachineFacts("");
  facts["runner_version"] = BENCHWIRE_VERSION;
  facts["seed"] = std::to_string(seed);
  return facts;
}

int Measure(const AppOptions& options, kit::EventSink& sink, bool by_hand) {
  const kit::Result<Spec> spec = SpecOf(options);
  if (!spec.ok()) return Fail(spec.error(), &sink);
  Warnings warnings(sink);
  kit::Result<std::unique_ptr<Backend>> backend = OpenBackend(options, *spec, warnings);
  if (!backend.ok()) return Fail(backend.error(), &sink);
  const std::int64_t seed = options.line.seed.value_or(options.input.seed.value_or(kDefaultSeed));
  CampaignOptions campaign;
  campaign.spec = *spec;
  campaign.seed = static_cast<std::uint64_t>(seed);
  campaign.elsewhere = (*backend)->name() == "host" ? options.cuda.cases : options.host.cases;
  campaign.environment = EnvironmentOf(campaign.seed);
  campaign.now = SteadyNow;
  campaign.cancelled = options.cancelled;
  const kit::Result<RunResult> result = Campaign(std::move(campaign), **backend, sink, warnings).Run();
  if (!result.ok()) return Fail(result.error(), &sink);
  if (by_hand) {
    if (const int exit = kit::PrintText(ResultText(*result)); exit != kit::kExitComplete) return exit;
  }
  const bool bad = result->verdict == Verdict::kFail || result->verdict == Verdict::kInconclusive;
  return options.line.fail_on_verdict && bad ? kit::kExitVerdict : kit::kExitComplete;
}

}  // namespace

int RunApp(const AppOptions& options) {
  if (options.line.help) return kit::PrintText(*options.line.help);
  if (options.line.describe) return Describe(options);
  if (options.line.list) return List(options);
  if (options.input.events_fd) {
    kit::EventWriter writer(*options.input.events_fd);
    return Measure(options, writer, false);
  }
  if (options.line.json) {
    kit::EventWriter writer(STDOUT_FILENO);
    return Measure(options, writer, false);
  }
  kit::Console console(stdout, stderr, isatty(STDERR_FILENO) != 0, RowsText);
  return Measure(options, console, true);
}

}  // namespace benchwire::p2p
