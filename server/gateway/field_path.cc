#include "server/gateway/field_path.h"

#include "server/base/status.h"

namespace benchwire::gateway {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const FieldDescriptor* FieldByName(const Descriptor* type, const std::string& name) {
  if (const FieldDescriptor* field = type->FindFieldByName(name)) return field;
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->json_name() == name) return type->field(i);
  }
  return nullptr;
}

absl::StatusOr<FieldPath> FindField(const Descriptor* type, const std::string& path) {
  FieldPath fields;
  size_t start = 0;
  for (;;) {
    const size_t dot = path.find('.', start);
    const FieldDescriptor* field = type == nullptr ? nullptr : FieldByName(type, path.substr(start, dot - start));
    if (field == nullptr) return absl::NotFoundError("no field " + path);
    fields.push_back(field);
    if (dot == std::string::npos) return fields;
    type = field->is_repeated() ? nullptr : field->message_type();
    start = dot + 1;
  }
}

std::string ProtoName(const FieldPath& path) {
  std::string name;
  for (const FieldDescriptor* field : path) name += (name.empty() ? "" : ".") + field->name();
  return name;
}

std::string JsonName(const FieldPath& path) {
  std::string name;
  for (const FieldDescriptor* field : path) name += (name.empty() ? "" : ".") + field->json_name();
  return name;
}

Message* MutableParent(Message* message, const FieldPath& path) {
  for (size_t i = 0; i + 1 < path.size(); ++i) message = message->GetReflection()->MutableMessage(message, path[i]);
  return message;
}

}  // namespace benchwire::gateway
