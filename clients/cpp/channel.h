// A channel to a Benchwire server, and gRPC errors as absl::Status. Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_CHANNEL_H_
#define BENCHWIRE_CLIENTS_CPP_CHANNEL_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace benchwire::client {

inline constexpr char kDefaultServer[] = "127.0.0.1:7411";

// A channel to `host:port` with keepalive, so that a server that vanished is noticed within 40 s. Connects lazily.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& server);

// A gRPC status as absl::Status, its google.rpc details as payloads (see server/base/status.h).
absl::Status ToStatus(const grpc::Status& status);

// Sets the deadline of one call. Every call has one.
void SetDeadline(grpc::ClientContext& context, std::chrono::milliseconds timeout);

// True for an error after which an idempotent call may be tried again: UNAVAILABLE or DEADLINE_EXCEEDED.
bool IsTransient(const absl::Status& status);

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_CHANNEL_H_
