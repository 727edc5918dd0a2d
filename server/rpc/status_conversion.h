// absl::Status to grpc::Status: the one place. Any thread.
#ifndef BENCHWIRE_SERVER_RPC_STATUS_CONVERSION_H_
#define BENCHWIRE_SERVER_RPC_STATUS_CONVERSION_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace benchwire::rpc {

// Payloads become google.rpc.Status details. The message is cut at 1 KiB and details that would pass 4 KiB are left
// out: beyond 8 KiB of trailers a client would see RESOURCE_EXHAUSTED instead of the real code.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_STATUS_CONVERSION_H_
