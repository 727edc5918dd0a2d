// benchwire doctor: what works here, and what to do where it does not.
#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/worker.pb.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/names.h"
#include "clients/cli/runners.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"

namespace benchwire::cli {
namespace {

enum class Level { kOk, kWarn, kFail };

class Report {
 public:
  explicit Report(Session& session) : session_(session) {}

  void Add(Level level, const std::string& check, const std::string& text) {
    static const std::map<Level, std::pair<std::string, std::string>> kNames = {
        {Level::kOk, {"ok", "32"}}, {Level::kWarn, {"warn", "33"}}, {Level::kFail, {"fail", "1;31"}}};
    const auto& [name, style] = kNames.at(level);
    if (level == Level::kFail) failed_ = true;
    Output& out = session_.out();
    if (session_.json()) {
      const nlohmann::json line = {{"check", check}, {"status", name}, {"detail", text}};
      out.Line(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      out.Line(out.Styled(PadTo(name, 4, false), style) + "  " + PadTo(check, 12, false) + "  " + OneLine(text));
    }
  }
  bool failed() const { return failed_; }

 private:
  Session& session_;
  bool failed_ = false;
};

// False where nothing more can be asked of it.
bool CheckServer(Session& session, Report& report) {
  const std::string& address = session.globals().server;
  const absl::StatusOr<bool> serving = client::CheckHealth(session.connection());
  if (serving.ok() && *serving) {
    report.Add(Level::kOk, "server", address + " is reachable and serving");
  } else if (serving.ok()) {
    report.Add(Level::kFail, "server",
               address + " is reachable but not serving: it is starting or stopping; look at its log");
  } else if (absl::IsUnimplemented(serving.status())) {
    report.Add(Level::kWarn, "server", address + " is reachable but has no health service; is it a benchwire-server?");
  } else {
    report.Add(Level::kFail, "server",
               address + " cannot be reached (" + std::string(serving.status().message()) +
                   "); start benchwire-server there, or name another with --server or BENCHWIRE_SERVER");
    return false;
  }
  return true;
}

void CheckFacts(Session& session, Report& report) {
  const client::ServerFacts facts = session.connection().server_facts();
  if (facts.version && *facts.version != BENCHWIRE_VERSION) {
    report.Add(Level::kWarn, "version",
               "this is " BENCHWIRE_VERSION ", the server is " + *facts.version + "; use the same");
  } else {
    report.Add(Level::kOk, "version",
               std::string(BENCHWIRE_VERSION) + (facts.version ? "" : "; the server does not tell its own"));
  }
  if (!facts.clock_offset) return;
  static constexpr std::chrono::milliseconds kTolerated{2'000};
  const auto offset = *facts.clock_offset;
  if (offset > kTolerated || offset < -kTolerated) {
    report.Add(Level::kWarn, "clock",
               "the server's clock is " + Span(offset < offset.zero() ? -offset : offset) +
                   (offset < offset.zero() ? " behind" : " ahead of") + " this machine's; set both by NTP");
  } else {
    report.Add(Level::kOk, "clock", "agrees with the server's within 2 s");
  }
}

void CheckGpus(const v1::Worker& worker, Report& report) {
  const std::string name = LastSegment(worker.name());
  const v1::Inventory& inventory = worker.inventory();
  int healthy = 0;
  for (const v1::Device& device : inventory.devices()) {
    if (device.kind() != v1::DEVICE_KIND_GPU) continue;
    if (device.healthy()) {
      ++healthy;
    } else {
      report.Add(Level::kWarn, "gpu", name + ": " + device.id() + " is lost: " + device.unhealthy_reason());
    }
  }
  if (!inventory.gpu_error().empty()) {
    report.Add(Level::kWarn, "gpu", name + ": GPUs cannot be read: " + inventory.gpu_error());
    return;
  }
  std::string why;
  for (const v1::RunnerDescription& runner : inventory.runners()) {
    const auto missing = runner.unavailable_backends().find("cuda");
    if (healthy == 0 && why.empty() && missing != runner.unavailable_backends().end()) why = ": " + missing->second;
  }
  report.Add(Level::kOk, "gpu", name + ": " + (healthy == 0 ? "none" + why : std::to_string(healthy)));
}

void CheckWorkers(Session& session, Report& report) {
  std::vector<v1::Worker> workers;
  const absl::Status status = session.fleet().List([&](const v1::Worker& worker) {
    workers.push_back(worker);
    return true;
  });
  if (!status.ok()) {
    report.Add(Level::kFail, "workers", "cannot be listed: " + std::string(status.message()));
    return;
  }
  std::set<std::string> kinds;
  int online = 0;
  for (const v1::Worker& worker : workers) {
    if (worker.state() == v1::WORKER_STATE_OFFLINE) {
      report.Add(Level::kWarn, "workers",
                 LastSegment(worker.name()) + " is offline, last seen " +
                     Ago(FromProto(worker.last_seen_time()), session.ServerNow()) + "; look at benchwire-worker there");
      continue;
    }
    if (worker.state() == v1::WORKER_STATE_DRAINING) {
      report.Add(Level::kWarn, "workers",
                 LastSegment(worker.name()) + " is draining; `benchwire workers resume " + LastSegment(worker.name()) +
                     "` ends it");
      continue;
    }
    if (worker.state() == v1::WORKER_STATE_SICK) {
      report.Add(
          Level::kWarn, "workers",
          LastSegment(worker.name()) +
              " is sick: runners of several jobs crashed there; look at their logs, then `benchwire workers resume " +
              LastSegment(worker.name()) + "` gives it jobs again");
      continue;
    }
    ++online;
    for (const v1::RunnerDescription& runner : worker.inventory().runners()) kinds.insert(runner.kind());
    CheckGpus(worker, report);
  }
  if (online == 0) {
    report.Add(Level::kFail, "workers", "none takes jobs; start benchwire-worker on a machine");
    return;
  }
  report.Add(Level::kOk, "workers", std::to_string(online) + " online");
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ", ") + kind;
  if (kinds.empty()) {
    report.Add(Level::kFail, "kinds",
               "no online worker has a runner; give benchwire-worker the right --runners directory");
  } else {
    report.Add(Level::kOk, "kinds", text);
  }
}

void CheckRunners(const std::string& runners, Report& report) {
  const auto* specs = v1::Job::descriptor()->FindOneofByName("spec");
  for (int i = 0; i < specs->field_count(); ++i) {
    const std::string kind = specs->field(i)->name();
    const absl::StatusOr<std::string> path = FindRunner(kind, RunnerDirectories(runners));
    if (!path.ok()) {
      report.Add(Level::kWarn, "runner", std::string(path.status().message()) + "; `rerun --here` needs it");
      continue;
    }
    const absl::StatusOr<v1::RunnerDescription> described = DescribeRunner(*path);
    if (!described.ok()) {
      report.Add(Level::kFail, "runner",
                 *path + " does not describe itself: " + std::string(described.status().message()));
      continue;
    }
    std::string backends;
    for (const std::string& backend : described->backends()) backends += " " + backend;
    report.Add(Level::kOk, "runner",
               *path + " " + described->version() + ", backends:" + (backends.empty() ? " none" : backends));
    const std::map<std::string, std::string> missing(described->unavailable_backends().begin(),
                                                     described->unavailable_backends().end());
    for (const auto& [backend, why] : missing)
      report.Add(Level::kOk, "runner", kind + " has no " + backend + " here: " + why);
  }
}

absl::StatusOr<int> Examine(Session& session, const std::string& runners) {
  Report report(session);
  if (CheckServer(session, report)) {
    CheckWorkers(session, report);
    CheckFacts(session, report);
  }
  CheckRunners(runners, report);
  return report.failed() ? kExitError : kExitOk;
}

}  // namespace

void AddDoctor(CLI::App& root, CommandLine& line) {
  CLI::App* command = AddCommand(root, "doctor", "Check server, workers, runners and GPUs, and say what to do",
                                 "  benchwire doctor\n  benchwire doctor --server gpu-host:7411 --json");
  auto runners = std::make_shared<std::string>();
  command->add_option("--runners", *runners, "Directory of the runners here (default: beside this program, then PATH)")
      ->type_name("DIR");
  command->callback(
      [&line, runners] { line.action = [runners](Session& session) { return Examine(session, *runners); }; });
}

}  // namespace benchwire::cli
