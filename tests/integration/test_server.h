// The server's parts as main.cc puts them together, on a directory of the test's choice and a free loopback port.
#ifndef BENCHWIRE_TESTS_INTEGRATION_TEST_SERVER_H_
#define BENCHWIRE_TESTS_INTEGRATION_TEST_SERVER_H_

#include <memory>
#include <string>

#include "server/core/core.h"
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

class TestServer {
 public:
  // Port 0: a free one.
  explicit TestServer(const std::string& directory, int port = 0)
      : data_(*storage::DataDirectory::Acquire(directory)),
        store_(*storage::SqliteStore::Open(data_->main_database(), [this] { core::EventLog::OnCommit(waits_); })),
        telemetry_(*storage::SqliteTelemetryStore::Open(data_->telemetry_database(), data_->artifacts())),
        core_(*core::Core::Create({*store_, *telemetry_, clock_, random_}, waits_, {})),
        jobs_(calls_, core_->jobs(), core_->telemetry(), waits_),
        fleet_(calls_, core_->fleet()),
        agents_(calls_, core_->fleet(), core_->attempts(), core_->dispatcher(), core_->workers()),
        digests_(calls_, core_->digests()),
        events_(calls_, core_->events(), waits_) {
    rpc::RpcServerOptions options;
    options.port = port;
    rpc_ = *rpc::RpcServer::Start(options, {&jobs_, &fleet_, &agents_, &digests_, &events_});
    core_->StartTicking(std::chrono::milliseconds(50));
  }
  ~TestServer() { Stop(); }

  int port() const { return rpc_->port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(rpc_->port()); }
  storage::Store& store() { return *store_; }

  // The first half of a stop, as in main.cc: whatever is parked or streams ends.
  void EndParkedCalls() {
    rpc_->StartStopping();
    core_->Stop();
    agents_.Stop();
  }
  void Stop() {
    if (rpc_ == nullptr) return;
    EndParkedCalls();
    rpc_->Stop(std::chrono::hours(1));  // Whoever holds a call until its grace is over hangs the test.
    rpc_.reset();
  }

 private:
  const SystemClock clock_;
  SystemRandom random_;
  core::WaitList waits_;
  std::unique_ptr<storage::DataDirectory> data_;
  std::unique_ptr<storage::SqliteStore> store_;
  std::unique_ptr<storage::SqliteTelemetryStore> telemetry_;
  std::unique_ptr<core::Core> core_;
  prometheus::Registry registry_;
  rpc::CallMetrics metrics_{registry_};
  rpc::CallEnvironment calls_{clock_, random_, metrics_};
  rpc::JobServiceImpl jobs_;
  rpc::FleetServiceImpl fleet_;
  rpc::AgentServiceImpl agents_;
  rpc::DigestServiceImpl digests_;
  rpc::EventServiceImpl events_;
  std::unique_ptr<rpc::RpcServer> rpc_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_INTEGRATION_TEST_SERVER_H_
