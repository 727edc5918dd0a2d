#include "server/rpc/call.h"

#include <spdlog/spdlog.h>

#include "server/base/log.h"
#include "server/base/status.h"
#include "server/core/validation.h"

namespace benchwire::rpc {
namespace {

constexpr char kRequestIdKey[] = "x-request-id";

// The caller's request id where it is a proper one, else a new one.
std::string RequestIdOf(grpc::ServerContextBase& context, RandomSource& random) {
  auto it = context.client_metadata().find(kRequestIdKey);
  if (it != context.client_metadata().end()) {
    const std::string sent(it->second.data(), it->second.size());
    if (!sent.empty() && core::CheckRequestId(kRequestIdKey, sent).ok()) return sent;
  }
  return Hex(random.Bytes(8));
}

spdlog::level::level_enum LevelOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
      return spdlog::level::debug;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnknown:
      return spdlog::level::err;
    default:
      return spdlog::level::info;
  }
}

}  // namespace

Call::Call(CallEnvironment& environment, grpc::ServerContextBase& context, std::string method)
    : environment_(environment),
      context_(context),
      method_(std::move(method)),
      begin_(environment.clock.Monotonic()),
      principal_(LocalPrincipal()),
      request_id_(RequestIdOf(context, environment.random)) {
  context_.AddTrailingMetadata(kRequestIdKey, request_id_);
  // So that clients can tell a version mismatch and reckon ages by the server's clock.
  context_.AddInitialMetadata("benchwire-version", BENCHWIRE_VERSION);
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(environment.clock.Now().time_since_epoch());
  context_.AddInitialMetadata("benchwire-time", std::to_string(now.count()));
}

absl::Status Call::Admit() const {
  RETURN_IF_ERROR(CheckAccess(method_, principal_));
  if (context_.deadline() <= std::chrono::system_clock::now()) {
    return MakeError(absl::StatusCode::kDeadlineExceeded, "DEADLINE_PASSED",
                     "the deadline passed before the call began");
  }
  return absl::OkStatus();
}

grpc::Status Call::End(const absl::Status& status) {
  const auto duration = environment_.clock.Monotonic() - begin_;
  environment_.metrics.Record(method_, status.code(), duration);
  const auto level = LevelOf(status.code());
  if (spdlog::should_log(level)) {
    spdlog::log(level, "call method={} code={} ms={:.2f} request_id={} principal={}{}{}", method_,
                absl::StatusCodeToString(status.code()), std::chrono::duration<double, std::milli>(duration).count(),
                request_id_, principal_.name, status.ok() ? "" : " message=", LogSafe(std::string(status.message())));
  }
  return ToGrpcStatus(status);
}

}  // namespace benchwire::rpc
