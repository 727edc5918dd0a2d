#include "server/gateway/transcoder.h"

#include <set>

#include "server/base/status.h"
#include "server/gateway/field_value.h"
#include "server/gateway/json.h"
#include "server/gateway/patch_mask.h"
#include "server/gateway/url.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FieldMask;
using google::protobuf::Message;

constexpr char kMaskField[] = "update_mask";

bool IsBlank(const std::string& body) { return body.find_first_not_of(" \t\r\n") == std::string::npos; }

bool IsEmptyObject(const std::string& body) {
  std::string text;
  for (const char c : body) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') text += c;
  }
  return text == "{}";
}

absl::Status BindBody(const Route& route, const HttpRequest& request, Message* message) {
  if (IsBlank(request.body)) return absl::OkStatus();
  if (route.body.empty()) {
    if (IsEmptyObject(request.body)) return absl::OkStatus();
    return BadField("body", request.body, "no body: this request takes its fields from the URL");
  }
  if (route.body == "*") return ParseJson(request.body, message);
  const FieldDescriptor* field = FieldByName(message->GetDescriptor(), route.body);
  absl::Status status = ParseJson(request.body, message->GetReflection()->MutableMessage(message, field));
  const bool names_mask = request.body.find("\"updateMask\"") != std::string::npos ||
                          request.body.find("\"update_mask\"") != std::string::npos;
  if (!status.ok() && names_mask && message->GetDescriptor()->FindFieldByName(kMaskField) != nullptr) {
    return BadField("updateMask", "a member of the body", "the query parameter updateMask=title,body instead");
  }
  return status;
}

absl::Status BindPath(const PathBindings& bindings, Message* message) {
  for (const auto& [name, value] : bindings) {
    ASSIGN_OR_RETURN(const FieldPath path, FindField(message->GetDescriptor(), name));
    const FieldDescriptor* field = path.back();
    Message* parent = MutableParent(message, path);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string given = parent->GetReflection()->GetString(*parent, field);
      if (!given.empty() && given != value) {
        return BadField(JsonName(path), given, "'" + value + "', the one in the path, or nothing");
      }
    }
    RETURN_IF_ERROR(SetFromText(message, path, JsonName(path), value, nullptr));
  }
  return absl::OkStatus();
}

std::string AcceptedNames(const RouteMatch& match, const Descriptor* type) {
  if (match.route->body == "*") return "no parameters: this request takes its fields from the body";
  std::string names;
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->name() == match.route->body) continue;
    bool is_bound = false;
    for (const auto& [bound, value] : match.bindings) is_bound = is_bound || bound == field->name();
    if (!is_bound) names += (names.empty() ? "" : ", ") + field->json_name();
  }
  return names.empty() ? "no parameters" : "one of the parameters " + names;
}

absl::Status BindQuery(const RouteMatch& match, const QueryParameters& parameters, Message* message) {
  const Route& route = *match.route;
  const Descriptor* type = message->GetDescriptor();
  const FieldDescriptor* body = route.body.empty() || route.body == "*" ? nullptr : FieldByName(type, route.body);
  std::set<std::string> taken;
  for (const auto& [name, value] : match.bindings) taken.insert(name);
  for (const auto& [name, value] : parameters) {
    const auto path = FindField(type, name);
    if (!path.ok() || route.body == "*" || path->front() == body) {
      return BadField(name, value, AcceptedNames(match, type));
    }
    const std::string proto_name = ProtoName(*path);
    if (proto_name == kMaskField && value.empty()) continue;  // An empty mask is no mask.
    if (!path->back()->is_repeated() && !taken.insert(proto_name).second) {
      return BadField(name, value, "this field at most once, in path and query together");
    }
    RETURN_IF_ERROR(SetFromText(message, *path, name, value, body == nullptr ? nullptr : body->message_type()));
  }
  return absl::OkStatus();
}

absl::Status BindPatchMask(const Route& route, const HttpRequest& request, Message* message) {
  const FieldDescriptor* mask = message->GetDescriptor()->FindFieldByName(kMaskField);
  if (route.http_method != "PATCH" || mask == nullptr || route.body.empty() || route.body == "*") {
    return absl::OkStatus();
  }
  const FieldDescriptor* body = FieldByName(message->GetDescriptor(), route.body);
  const auto* reflection = message->GetReflection();
  if (reflection->HasField(*message, mask)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FieldMask derived, MaskOfBody(request.body, body->message_type()));
  reflection->MutableMessage(message, mask)->CopyFrom(derived);
  return absl::OkStatus();
}

absl::Status BindLastEventId(const Route& route, const HttpRequest& request, Message* message) {
  const std::string* id = request.Header("Last-Event-ID");
  const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName("after_revision");
  if (id == nullptr || id->empty() || field == nullptr || !route.method->server_streaming()) return absl::OkStatus();
  return SetFromText(message, {field}, "Last-Event-ID", *id, nullptr);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Message>> BuildRpcRequest(const RouteMatch& match, const HttpRequest& request) {
  const Route& route = *match.route;
  const Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(route.method->input_type());
  std::unique_ptr<Message> message(prototype->New());
  RETURN_IF_ERROR(BindBody(route, request, message.get()));
  RETURN_IF_ERROR(BindPath(match.bindings, message.get()));
  ASSIGN_OR_RETURN(const QueryParameters parameters, ParseQuery(request.query));
  RETURN_IF_ERROR(BindQuery(match, parameters, message.get()));
  RETURN_IF_ERROR(BindPatchMask(route, request, message.get()));
  RETURN_IF_ERROR(BindLastEventId(route, request, message.get()));
  return message;
}

}  // namespace benchwire::gateway
