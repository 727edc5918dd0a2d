#include "server/gateway/patch_mask.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/field_mask_util.h>

#include "server/base/status.h"
#include "server/gateway/field_path.h"
#include "server/gateway/json.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FieldMask;
using google::protobuf::Struct;
using google::protobuf::Value;

// A message whose JSON is an object with the names of its fields.
bool IsPlainMessage(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated() &&
         field->message_type()->file()->package() != "google.protobuf";
}

void AddPaths(const Struct& object, const Descriptor* type, const std::string& prefix, FieldMask& mask) {
  for (const auto& [key, value] : object.fields()) {
    const FieldDescriptor* field = FieldByName(type, key);
    if (field == nullptr || (prefix.empty() && (field->name() == "name" || field->name() == "etag"))) continue;
    const std::string path = prefix + field->name();
    if (IsPlainMessage(field) && value.kind_case() == Value::kStructValue && value.struct_value().fields_size() > 0) {
      AddPaths(value.struct_value(), field->message_type(), path + ".", mask);
    } else {
      mask.add_paths(path);
    }
  }
}

}  // namespace

absl::StatusOr<FieldMask> MaskOfBody(const std::string& body, const Descriptor* type) {
  Struct object;
  if (!body.empty()) RETURN_IF_ERROR(ParseJson(body, &object));
  FieldMask mask;
  AddPaths(object, type, "", mask);
  if (mask.paths().empty()) {
    return BadField("body", body,
                    "at least one field of " + type->name() + " to change, or a query parameter updateMask");
  }
  FieldMask canonical;  // Sorted: the order of a JSON object means nothing.
  google::protobuf::util::FieldMaskUtil::ToCanonicalForm(mask, &canonical);
  return canonical;
}

}  // namespace benchwire::gateway
