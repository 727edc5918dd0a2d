// The gRPC server: all services on one port, with health and reflection, and its graceful stop.
#ifndef BENCHWIRE_SERVER_RPC_RPC_SERVER_H_
#define BENCHWIRE_SERVER_RPC_RPC_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::rpc {

struct RpcServerOptions {
  std::string address = "127.0.0.1";
  int port = 7411;        // 0: a free one.
  int max_threads = 512;  // Calls beyond it get RESOURCE_EXHAUSTED.
};

class RpcServer {
 public:
  // `services` are borrowed and outlive the server. UNAVAILABLE/CANNOT_LISTEN.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(const RpcServerOptions& options,
                                                          const std::vector<grpc::Service*>& services);
  ~RpcServer();

  int port() const { return port_; }
  // A channel to all services that does not touch the network.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Health says NOT_SERVING from now on.
  void StartStopping();
  // No new calls; waits for running ones, and cancels those still there after `grace`. Whoever parks calls and streams
  // must have ended them before, or they use the whole grace.
  void Stop(std::chrono::milliseconds grace);

 private:
  RpcServer() = default;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_RPC_SERVER_H_
