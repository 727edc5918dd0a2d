#include "server/rpc/status_conversion.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include <algorithm>
#include <string>

namespace benchwire::rpc {
namespace {

constexpr size_t kMaxTextBytes = 1024;
constexpr size_t kMaxDetails = 4096;

// At most `max` bytes, cut between code points.
std::string Cut(const std::string& text, size_t max) {
  size_t end = std::min(text.size(), max);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string message = Cut(std::string(status.message()), kMaxTextBytes);
  google::rpc::Status details;
  details.set_code(static_cast<int32_t>(status.code()));
  details.set_message(message);
  status.ForEachPayload([&](absl::string_view type_url, const absl::Cord& payload) {
    auto* any = details.add_details();
    any->set_type_url(std::string(type_url));
    any->set_value(std::string(payload));
    google::rpc::ErrorInfo info;
    if (details.ByteSizeLong() > kMaxDetails && any->UnpackTo(&info)) {
      // The reason is what programs go by; the rest they can do without.
      info.clear_metadata();
      any->set_value(info.SerializeAsString());
    }
    if (details.ByteSizeLong() > kMaxDetails) details.mutable_details()->RemoveLast();
  });
  return {static_cast<grpc::StatusCode>(status.code()), message, details.SerializeAsString()};
}

}  // namespace benchwire::rpc
