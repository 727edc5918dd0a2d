#include "clients/cpp/connection.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/unknown_field_set.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <charconv>
#include <utility>

#include "clients/cpp/channel.h"

namespace benchwire::client {

Connection::Connection(ConnectionOptions options, const Clock& clock, RandomSource& random)
    : options_(std::move(options)), channel_(OpenChannel(options_.server)), clock_(clock), random_(random) {}

ServerFacts Connection::server_facts() const {
  MutexLock lock(mutex_);
  return facts_;
}

std::string Connection::NewRequestId() {
  MutexLock lock(mutex_);
  return RandomId(random_);
}

double Connection::Jitter() {
  MutexLock lock(mutex_);
  const std::string bytes = random_.Bytes(4);
  uint32_t number = 0;
  for (const char c : bytes) number = (number << 8) | static_cast<unsigned char>(c);
  return static_cast<double>(number) / 4294967296.0;
}

void Connection::Note(const grpc::ClientContext& context) {
  ServerFacts facts;
  const auto& metadata = context.GetServerInitialMetadata();
  if (auto it = metadata.find("benchwire-version"); it != metadata.end()) {
    facts.version = std::string(it->second.data(), it->second.size());
  }
  if (auto it = metadata.find("benchwire-time"); it != metadata.end()) {
    int64_t milliseconds = 0;
    const char* end = it->second.data() + it->second.size();
    const auto parsed = std::from_chars(it->second.data(), end, milliseconds);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      const auto local = std::chrono::floor<std::chrono::milliseconds>(clock_.Now().time_since_epoch());
      facts.clock_offset = std::chrono::milliseconds(milliseconds) - local;
    }
  }
  MutexLock lock(mutex_);
  if (facts.version) facts_.version = facts.version;
  if (facts.clock_offset) facts_.clock_offset = facts.clock_offset;
}

absl::StatusOr<bool> CheckHealth(Connection& connection) {
  // The packaged gRPC has no compiled health.proto. Both messages are simple enough to do without: an empty request,
  // and an answer whose field 1 is 1 for SERVING.
  static constexpr uint64_t kServing = 1;
  grpc::ClientContext context;
  SetDeadline(context, connection.options().call_timeout);
  CancelToken::Registration cancel(connection.cancel(), [&context] { context.TryCancel(); });
  google::protobuf::Empty request;
  google::protobuf::Empty response;
  const grpc::internal::RpcMethod method("/grpc.health.v1.Health/Check", grpc::internal::RpcMethod::NORMAL_RPC);
  const absl::Status status =
      ToStatus(grpc::internal::BlockingUnaryCall<google::protobuf::Empty, google::protobuf::Empty>(
          connection.channel().get(), method, &context, request, &response));
  if (!status.ok()) return status;
  connection.Note(context);
  const auto& fields = response.GetReflection()->GetUnknownFields(response);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == 1 && field.type() == google::protobuf::UnknownField::TYPE_VARINT) {
      return field.varint() == kServing;
    }
  }
  return false;
}

}  // namespace benchwire::client
