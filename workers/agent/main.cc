// benchwire-worker: the worker daemon of a machine. See --help.
#include <google/protobuf/util/json_util.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "clients/cpp/channel.h"
#include "server/base/log.h"
#include "server/base/resource_name.h"
#include "workers/agent/agent.h"
#include "workers/agent/inventory.h"
#include "workers/agent/keeper.h"
#include "workers/agent/runner_catalog.h"
#include "workers/agent/work_dir.h"

namespace benchwire::agent {
namespace {

constexpr std::chrono::seconds kDescribeTimeout{5};
// After the first signal; the runners' keepers kill them when the agent is gone.
constexpr timespec kStopDeadline{16, 0};

struct Flags {
  std::string server = client::kDefaultServer;
  std::string name;
  std::string runners;
  std::string commands;
  std::string work_dir;
  std::vector<std::string> labels;
  std::string log_level = "info";
  int slots = 1;
  bool print_inventory = false;
};

std::filesystem::path OwnDirectory() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

void AddFlags(CLI::App& app, Flags* flags) {
  app.set_version_flag("--version", "benchwire-worker " BENCHWIRE_VERSION);
  app.add_option("--server", flags->server, "Server to work for, HOST:PORT")
      ->capture_default_str()
      ->envname("BENCHWIRE_SERVER");
  app.add_option("--name", flags->name, "Worker name, [a-z0-9-]{1,63} (default: from the host name)");
  app.add_option("--runners", flags->runners, "Directory of the runners benchwire-* (default: that of this program)");
  app.add_option("--commands", flags->commands,
                 "Directory of definitions NAME.json of outside programs that jobs of the kind command may run");
  app.add_option("--work-dir", flags->work_dir,
                 "Directory for the private directories of jobs (default: $XDG_STATE_HOME/benchwire/worker)");
  app.add_option("--label", flags->labels, "Label KEY=VALUE that jobs may ask for; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--slots", flags->slots, "Jobs at a time")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--log-level", flags->log_level, "Least level to log")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_flag("--print-inventory", flags->print_inventory, "Print what would be registered as JSON, and exit");
}

int Fail(const std::string& message) {
  std::fprintf(stderr, "benchwire-worker: %s\n", message.c_str());
  return 1;
}

int PrintInventory(const v1::Inventory& inventory) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(inventory, &json, options).ok())
    return Fail("inventory is not JSON");
  std::fputs(json.c_str(), stdout);
  return 0;
}

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Ends the process at once on another signal, or where stopping takes too long. Its thread may outlive main and with it
// the log, so it writes by itself.
void WatchForImpatience() {
  const sigset_t signals = StopSignals();
  int signal = 0;
  // Interrupted, by a debugger or a sanitizer, is not late.
  do {
    signal = sigtimedwait(&signals, nullptr, &kStopDeadline);
  } while (signal < 0 && errno == EINTR);
  dprintf(STDERR_FILENO, "benchwire-worker: ending at once: %s\n",
          signal > 0 ? "second signal" : "stopping took too long");
  _exit(signal > 0 ? 128 + signal : 1);
}

int Serve(const Flags& flags, const std::string& name, v1::Inventory inventory, RunnerCatalog catalog) {
  const std::filesystem::path base = flags.work_dir.empty() ? DefaultWorkBase() : std::filesystem::path(flags.work_dir);
  if (base.empty()) return Fail("--work-dir: neither XDG_STATE_HOME nor HOME is set; give a directory");
  const auto work_dir = WorkDir::Open(base, name);
  if (!work_dir.ok()) return Fail(std::string(work_dir.status().message()));
  AgentOptions options;
  options.server = flags.server;
  options.worker = WorkerName(name);
  options.work_dir = work_dir->attempts();
  options.spool_dir = work_dir->finished();
  options.slots = flags.slots;

  AdoptOrphans();
  const sigset_t signals = StopSignals();
  const SystemClock clock;
  SystemRandom random;
  absl::Status refused;
  Agent agent(options, std::move(inventory), std::move(catalog), clock, random, [&refused](const absl::Status& status) {
    refused = status;
    kill(getpid(), SIGTERM);
  });
  spdlog::info("worker starts worker={} server={} version={}", options.worker, options.server, BENCHWIRE_VERSION);
  agent.Start();
  int signal = 0;
  sigwait(&signals, &signal);
  std::thread(WatchForImpatience).detach();
  spdlog::info("stopping signal={}", signal);
  agent.Stop();
  if (!refused.ok()) return Fail("the server refused the worker: " + std::string(refused.message()));
  spdlog::info("stopped");
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Runs benchmark jobs of a Benchwire server on this machine.", "benchwire-worker");
  Flags flags;
  AddFlags(app, &flags);
  CLI11_PARSE(app, argc, argv);
  SetUpLog(flags.log_level);
  // Every thread inherits this: only main takes signals.
  const sigset_t signals = StopSignals();
  if (!flags.print_inventory) pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  v1::Inventory inventory = ReadMachine("/");
  for (const std::string& label : flags.labels) {
    if (const absl::Status status = AddLabel(label, &inventory); !status.ok()) {
      return Fail("--label: " + std::string(status.message()));
    }
  }
  const std::string name = flags.name.empty() ? SlugOf(inventory.hostname()) : flags.name;
  if (!IsSlug(name)) return Fail("--name: '" + name + "' is not valid; expected [a-z0-9-]{1,63}");
  const std::filesystem::path runners = flags.runners.empty() ? OwnDirectory() : std::filesystem::path(flags.runners);
  std::error_code error;
  if (!std::filesystem::is_directory(runners, error))
    return Fail("--runners: '" + runners.string() + "' is no directory");
  const char* nvml = std::getenv("BENCHWIRE_NVML_LIBRARY");
  AddGpus(nvml == nullptr ? "" : nvml, "/", &inventory);
  RunnerCatalog catalog = FindRunners(std::filesystem::absolute(runners), "/proc/self/exe", kDescribeTimeout);
  if (!flags.commands.empty()) {
    auto offered = OfferCommands(std::filesystem::absolute(runners), std::filesystem::absolute(flags.commands),
                                 "/proc/self/exe", kDescribeTimeout);
    if (!offered.ok()) return Fail("--commands: " + std::string(offered.status().message()));
    catalog["command"] = *std::move(offered);
  }
  AddRunners(catalog, &inventory);
  if (flags.print_inventory) return PrintInventory(inventory);
  return Serve(flags, name, std::move(inventory), catalog);
}

}  // namespace
}  // namespace benchwire::agent

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], benchwire::agent::kKeeperFlag) == 0) {
    return benchwire::agent::KeeperMain(argc, argv);
  }
  return benchwire::agent::Main(argc, argv);
}
