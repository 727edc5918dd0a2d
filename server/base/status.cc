#include "server/base/status.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

namespace benchwire {
namespace {

constexpr size_t kMaxShownValue = 200;

template <typename Message>
std::string TypeUrl() {
  return std::string(kTypeUrlPrefix) + Message::descriptor()->full_name();
}

template <typename Message>
void SetPayload(absl::Status& status, const Message& message) {
  status.SetPayload(TypeUrl<Message>(), absl::Cord(message.SerializeAsString()));
}

std::optional<google::rpc::ErrorInfo> GetErrorInfo(const absl::Status& status) {
  auto payload = status.GetPayload(TypeUrl<google::rpc::ErrorInfo>());
  google::rpc::ErrorInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return info;
}

}  // namespace

absl::Status MakeError(absl::StatusCode code, const std::string& reason, const std::string& message,
                       const std::map<std::string, std::string>& metadata) {
  absl::Status status(code, message);
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain(kErrorDomain);
  info.mutable_metadata()->insert(metadata.begin(), metadata.end());
  SetPayload(status, info);
  return status;
}

absl::Status BadField(const std::string& field, const std::string& value, const std::string& expected) {
  // Cut between code points: a status message must stay valid UTF-8.
  size_t cut = std::min(value.size(), kMaxShownValue);
  while (cut < value.size() && cut > 0 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
  const std::string shown = value.substr(0, cut) + (value.size() > cut ? "…" : "");
  absl::Status status = MakeError(absl::StatusCode::kInvalidArgument, "BAD_FIELD",
                                  field + ": '" + shown + "' is not valid; expected " + expected, {{"field", field}});
  google::rpc::BadRequest bad_request;
  auto* violation = bad_request.add_field_violations();
  violation->set_field(field);
  violation->set_description("'" + shown + "' is not valid; expected " + expected);
  SetPayload(status, bad_request);
  return status;
}

absl::Status NotFound(const std::string& resource) {
  return MakeError(absl::StatusCode::kNotFound, "NOT_FOUND", resource + " does not exist", {{"resource", resource}});
}

absl::Status Precondition(const std::string& reason, const std::string& message,
                          const std::map<std::string, std::string>& metadata) {
  return MakeError(absl::StatusCode::kFailedPrecondition, reason, message, metadata);
}

absl::Status WithRetryAfter(absl::Status status, std::chrono::milliseconds delay) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(delay.count() / 1000);
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(delay.count() % 1000) * 1'000'000);
  SetPayload(status, info);
  return status;
}

std::string ErrorReason(const absl::Status& status) {
  auto info = GetErrorInfo(status);
  return info ? info->reason() : "";
}

std::optional<std::string> ErrorMetadata(const absl::Status& status, const std::string& key) {
  auto info = GetErrorInfo(status);
  if (!info) return std::nullopt;
  auto it = info->metadata().find(key);
  if (it == info->metadata().end()) return std::nullopt;
  return it->second;
}

absl::Status StatusFromWire(int code, const std::string& message, const std::string& details) {
  absl::Status status(static_cast<absl::StatusCode>(code), message);
  google::rpc::Status parsed;
  if (parsed.ParseFromString(details)) {
    for (const auto& any : parsed.details()) status.SetPayload(any.type_url(), absl::Cord(any.value()));
  }
  return status;
}

}  // namespace benchwire
