#include "server/gateway/json.h"

#include <google/protobuf/util/json_util.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include <cmath>
#include <vector>

#include "server/base/status.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
namespace util = google::protobuf::util;

bool IsTooDeep(const std::string& json) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

// Path of the first number that is not finite; empty where there is none.
std::string FindNonFinite(const Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        const double value = field->is_repeated() ? reflection->GetRepeatedDouble(message, field, i)
                                                  : reflection->GetDouble(message, field);
        if (!std::isfinite(value)) return field->json_name();
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const Message& child = field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                                    : reflection->GetMessage(message, field);
        if (std::string path = FindNonFinite(child); !path.empty()) return field->json_name() + "." + path;
      }
    }
  }
  return "";
}

std::string StatusText(const util::Status& status) {
  return {status.message().data(), static_cast<size_t>(status.message().size())};
}

google::rpc::Status ToProto(const absl::Status& status) {
  google::rpc::Status proto;
  proto.set_code(static_cast<int>(status.code()));
  proto.set_message(std::string(status.message()));
  status.ForEachPayload([&proto](auto type_url, const absl::Cord& payload) {
    const std::string url(type_url);
    const std::string name = url.substr(url.rfind('/') + 1);
    const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
    if (type == nullptr) return;
    auto* detail = proto.add_details();
    detail->set_type_url(std::string(kTypeUrlPrefix) + name);
    detail->set_value(std::string(payload));
  });
  return proto;
}

}  // namespace

absl::Status ParseJson(const std::string& json, Message* message) {
  if (IsTooDeep(json)) {
    return BadField("body", json, "JSON nested at most " + std::to_string(kMaxJsonDepth) + " deep");
  }
  const util::Status status = util::JsonStringToMessage(json, message);
  if (!status.ok()) {
    return BadField("body", json, message->GetDescriptor()->name() + " as JSON; " + StatusText(status));
  }
  if (const std::string path = FindNonFinite(*message); !path.empty()) {
    return BadField(path, "NaN or Infinity", "a finite number");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ToJson(const Message& message) {
  std::string json;
  const util::Status status = util::MessageToJsonString(message, &json);
  if (status.ok()) return json;
  return MakeError(absl::StatusCode::kInternal, "NOT_REPRESENTABLE", "no JSON for the answer: " + StatusText(status));
}

int HttpStatus(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kCancelled:
      return 499;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

HttpResponse ErrorResponse(const absl::Status& status, int http_status) {
  google::rpc::Status proto = ToProto(status);
  absl::StatusOr<std::string> json = ToJson(proto);
  if (!json.ok()) {
    proto.clear_details();  // A detail that cannot be read must not hide the error itself.
    json = ToJson(proto);
  }
  const int code = http_status != 0 ? http_status : HttpStatus(status.code());
  HttpResponse response = MakeResponse(code, "application/json", json.ok() ? *json : R"({"code":13})");
  response.headers.emplace_back("Cache-Control", "no-store");
  for (const auto& detail : proto.details()) {
    google::rpc::RetryInfo retry;
    if (!detail.UnpackTo(&retry)) continue;
    const int64_t seconds = retry.retry_delay().seconds() + (retry.retry_delay().nanos() > 0 ? 1 : 0);
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  return response;
}

}  // namespace benchwire::gateway
