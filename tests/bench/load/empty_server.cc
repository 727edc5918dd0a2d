#include "tests/bench/load/empty_server.h"

#include <csignal>
#include <cstdio>
#include <string>

#include "benchwire/v1/fleet_service.grpc.pb.h"
#include "server/rpc/rpc_server.h"

namespace benchwire::bench {
namespace {

class EmptyService final : public v1::FleetService::Service {
  grpc::Status GetWorker(grpc::ServerContext*, const v1::GetWorkerRequest*, v1::Worker*) override {
    return grpc::Status::OK;
  }
};

}  // namespace

int RunEmptyServer() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  EmptyService service;
  rpc::RpcServerOptions options;
  options.port = 0;
  auto server = rpc::RpcServer::Start(options, {&service});
  if (!server.ok()) {
    std::fprintf(stderr, "empty server: %s\n", std::string(server.status().message()).c_str());
    return 1;
  }
  std::printf("grpc=%d\n", (*server)->port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  (*server)->Stop(std::chrono::seconds(1));
  return 0;
}

}  // namespace benchwire::bench
