// Calls to the services behind the gateway, bytes in and bytes out, over gRPC's callback API: no thread waits for an
// answer. Results are handed to `executor`, so that gRPC's few threads do nothing but queue. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_RPC_CLIENT_H_
#define BENCHWIRE_SERVER_GATEWAY_RPC_CLIENT_H_

#include <google/protobuf/message.h>
#include <grpcpp/channel.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

struct CallOptions {
  std::chrono::milliseconds timeout{30'000};  // Of a unary call; a stream has none.
  std::string request_id;                     // Sent as metadata `x-request-id` where not empty.
};

// What a stream tells its owner, each on the executor. After on_message the owner calls Next exactly once, even where
// it has cancelled: that is how the stream comes to its end.
struct StreamEvents {
  std::function<void()> on_started;  // The server accepted the call. May come together with the first message.
  std::function<void(std::string)> on_message;  // One message.
  std::function<void(absl::Status)> on_end;     // Last, always.
};

class RpcStream {
 public:
  virtual ~RpcStream() = default;
  virtual void Next() = 0;
  virtual void Cancel() = 0;
};

class RpcClient {
 public:
  using Executor = std::function<void(std::function<void()>)>;

  virtual ~RpcClient() = default;  // Stops.
  // `rpc_path`: `/package.Service/Method`. `done` gets the serialized answer or the call's status with its details.
  virtual void Call(const std::string& rpc_path, const google::protobuf::MessageLite& request,
                    const CallOptions& options, std::function<void(absl::StatusOr<std::string>)> done) = 0;
  // Reads the first message at once. The stream keeps itself alive until on_end ran.
  virtual std::shared_ptr<RpcStream> Stream(const std::string& rpc_path, const google::protobuf::MessageLite& request,
                                            const CallOptions& options, StreamEvents events) = 0;
  // Cancels every stream and takes no new one.
  virtual void CancelStreams() = 0;
  // Cancels every call and waits until each has ended. The executor must still run.
  virtual void Stop() = 0;
};

std::unique_ptr<RpcClient> MakeRpcClient(std::shared_ptr<grpc::Channel> channel, RpcClient::Executor executor);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_RPC_CLIENT_H_
