// benchwire-server: the composition root. Everything is made here, borrowed by what is made after it, and stopped in
// the reverse order.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "server/base/log.h"
#include "server/base/status.h"
#include "server/core/core.h"
#include "server/gateway/gateway.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/digest_service.h"
#include "server/rpc/event_service.h"
#include "server/rpc/fleet_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/rpc_server.h"
#include "storage/data_directory.h"
#include "storage/sqlite/store.h"
#include "storage/sqlite/telemetry_store.h"

namespace benchwire {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kStopGrace{5'000};

struct ServerOptions {
  std::string data;
  rpc::RpcServerOptions rpc;
  gateway::GatewayOptions http;
  int lease_ttl_seconds = 45;
  std::string log_level = "info";
};

// Workers have killed their runners by the end of the time to live. Up to 15 s are waited beyond it, less where it is
// short.
core::CoreOptions CoreOptionsOf(const ServerOptions& options) {
  core::CoreOptions out;
  out.fleet.ttl = std::chrono::seconds(options.lease_ttl_seconds);
  out.fleet.grace = std::min<std::chrono::nanoseconds>(out.fleet.grace, out.fleet.ttl / 3);
  return out;
}

std::string DefaultData() {
  if (const char* xdg = std::getenv("XDG_DATA_HOME"); xdg != nullptr && *xdg != '\0')
    return std::string(xdg) + "/benchwire";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/share/benchwire";
  }
  return "";
}

bool IsLoopback(const std::string& address) { return address == "127.0.0.1" || address == "::1"; }

// `::1` and 7411 as `[::1]:7411`.
std::string HostAndPort(const std::string& address, int port) {
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

// The signals that stop the server are blocked in every thread and waited for in one.
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

absl::Status Serve(const ServerOptions& options) {
  if (!IsLoopback(options.rpc.address) || !IsLoopback(options.http.address)) {
    return Precondition("NO_ACCESS_CONFIGURED",
                        "--address: only 127.0.0.1 and ::1 are served: this version has no access control, and whoever "
                        "reaches the server may start jobs; put a proxy that authenticates in front of it");
  }
  const SystemClock clock;
  SystemRandom random;
  core::WaitList waits;
  ASSIGN_OR_RETURN(const auto data, storage::DataDirectory::Acquire(options.data));
  ASSIGN_OR_RETURN(const auto store,
                   storage::SqliteStore::Open(data->main_database(), [&waits] { core::EventLog::OnCommit(waits); }));
  ASSIGN_OR_RETURN(const auto telemetry,
                   storage::SqliteTelemetryStore::Open(data->telemetry_database(), data->artifacts()));
  ASSIGN_OR_RETURN(const auto core,
                   core::Core::Create({*store, *telemetry, clock, random}, waits, CoreOptionsOf(options)));

  prometheus::Registry registry;
  rpc::CallMetrics metrics(registry);
  rpc::CallEnvironment calls{clock, random, metrics};
  rpc::JobServiceImpl jobs(calls, core->jobs(), core->telemetry(), waits);
  rpc::FleetServiceImpl fleet(calls, core->fleet());
  rpc::AgentServiceImpl agents(calls, core->fleet(), core->attempts(), core->dispatcher(), core->workers());
  rpc::DigestServiceImpl digests(calls, core->digests());
  rpc::EventServiceImpl events(calls, core->events(), waits);
  ASSIGN_OR_RETURN(const auto rpc, rpc::RpcServer::Start(options.rpc, {&jobs, &fleet, &agents, &digests, &events}));
  ASSIGN_OR_RETURN(
      const auto http,
      gateway::Gateway::Start(
          options.http, {.channel = rpc->InProcessChannel(),
                         .metrics_text = [&registry] { return rpc::MetricsText(registry); },
                         .publication_generation = [&core] { return core->digests().publication_generation(); }}));
  core->StartTicking(kTick);
  // For people and scripts: the one line on standard output.
  std::printf("benchwire-server ready grpc=%s http=%s data=%s\n", HostAndPort(options.rpc.address, rpc->port()).c_str(),
              HostAndPort(options.http.address, http->port()).c_str(), options.data.c_str());
  std::fflush(stdout);

  const sigset_t signals = StopSignals();
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("stopping signal={}", strsignal(signal));
  rpc->StartStopping();
  core->Stop();
  agents.Stop();
  http->Stop();
  rpc->Stop(kStopGrace);
  spdlog::info("stopped");
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  ServerOptions options;
  options.data = DefaultData();
  std::string address = "127.0.0.1";
  CLI::App app{"The Benchwire server: keeps digests, schedules benchmark jobs on workers, serves gRPC and HTTP."};
  app.set_version_flag("--version", BENCHWIRE_VERSION);
  app.add_option("--data", options.data, "Directory of the state; made if missing")->capture_default_str();
  app.add_option("--address", address, "Loopback address to listen on")->capture_default_str();
  app.add_option("--grpc-port", options.rpc.port, "gRPC port, 0 for a free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--http-port", options.http.port, "HTTP port, 0 for a free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--allowed-host", options.http.allowed_hosts,
                 "Host name that HTTP requests may be addressed to, beside localhost; may be repeated");
  app.add_option("--lease-ttl", options.lease_ttl_seconds,
                 "Seconds after which a worker that is not heard from has ended its runners; a third of it later, at "
                 "most 15 s, its jobs go to others. Below 20 s runners also get less than 10 s to end")
      ->capture_default_str()
      ->check(CLI::Range(2, 3600));
  app.add_option("--log-level", options.log_level, "debug, info, warn or error")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  CLI11_PARSE(app, argc, argv);
  if (options.data.empty()) {
    std::fprintf(stderr, "benchwire-server: --data is needed: neither XDG_DATA_HOME nor HOME is set\n");
    return 2;
  }
  options.rpc.address = options.http.address = address;
  SetUpLog(options.log_level);
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const absl::Status status = Serve(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "benchwire-server: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace benchwire

int main(int argc, char** argv) { return benchwire::Main(argc, argv); }
