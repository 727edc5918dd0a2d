#include "server/rpc/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "absl/synchronization/mutex.h"
#include "server/base/status.h"

namespace benchwire::rpc {
namespace {

constexpr int kMaxCallBytes = 8 << 20;
constexpr int kMaxMetadata = 64 << 10;
constexpr int kMaxPollers = 16;  // Per completion queue.

void SetUp(grpc::ServerBuilder& builder, const RpcServerOptions& options) {
  builder.SetMaxReceiveMessageSize(kMaxCallBytes);
  // A call that waits for the disk keeps its thread; of the threads that come back gRPC ends all but these.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, kMaxPollers);
  grpc::ResourceQuota quota("benchwire");
  quota.SetMaxThreads(options.max_threads);
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadata);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1024);
  // A compressed message could unfold to more than its limit.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(const RpcServerOptions& options,
                                                            const std::vector<grpc::Service*>& services) {
  // Debian builds Abseil with the search for lock cycles on: every lock that gRPC takes would enter one global graph.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  std::unique_ptr<RpcServer> out(new RpcServer);
  grpc::ServerBuilder builder;
  const bool v6 = options.address.find(':') != std::string::npos;
  const std::string address = (v6 ? "[" + options.address + "]" : options.address) + ":" + std::to_string(options.port);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &out->port_);
  for (grpc::Service* service : services) builder.RegisterService(service);
  SetUp(builder, options);
  out->server_ = builder.BuildAndStart();
  if (out->server_ == nullptr || out->port_ == 0) {
    return MakeError(absl::StatusCode::kUnavailable, "CANNOT_LISTEN",
                     "gRPC cannot listen on " + address + "; is the port taken?");
  }
  return out;
}

RpcServer::~RpcServer() { Stop(std::chrono::milliseconds(0)); }

std::shared_ptr<grpc::Channel> RpcServer::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return server_->InProcessChannel(arguments);
}

void RpcServer::StartStopping() { server_->GetHealthCheckService()->SetServingStatus(false); }

void RpcServer::Stop(std::chrono::milliseconds grace) {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + grace);
  server_->Wait();
  server_.reset();
}

}  // namespace benchwire::rpc
