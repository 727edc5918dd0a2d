#include "server/base/canonical_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/duration.pb.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "server/base/status.h"

namespace benchwire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return nlohmann::json(value).dump();
}

// Seconds with 0, 3, 6 or 9 decimals.
std::string DurationText(const google::protobuf::Duration& duration) {
  const bool negative = duration.seconds() < 0 || duration.nanos() < 0;
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%09d", negative ? "-" : "",
                static_cast<long long>(std::llabs(duration.seconds())), std::abs(duration.nanos()));
  std::string out = text;
  for (int group = 0; group < 3 && out.ends_with("000"); ++group) out.resize(out.size() - 3);
  if (out.back() == '.') out.pop_back();
  return "\"" + out + "s\"";
}

absl::Status Unsupported(const FieldDescriptor& field) {
  return MakeError(absl::StatusCode::kUnimplemented, "NO_CANONICAL_JSON",
                   field.full_name() + " is of a type without a canonical JSON form");
}

std::string EnumText(const EnumDescriptor& type, int number) {
  const EnumValueDescriptor* value = type.FindValueByNumber(number);
  return value == nullptr ? std::to_string(number) : "\"" + value->name() + "\"";
}

absl::Status AppendMessage(const Message& message, std::string& out);

absl::Status AppendMessageValue(const FieldDescriptor& field, const Message& value, std::string& out) {
  if (value.GetDescriptor() == google::protobuf::Duration::descriptor()) {
    out += DurationText(static_cast<const google::protobuf::Duration&>(value));
    return absl::OkStatus();
  }
  if (value.GetDescriptor()->file()->package() == "google.protobuf") return Unsupported(field);
  return AppendMessage(value, out);
}

// A field's value, or its element `index` where it is repeated (else -1), by the two getters of its type.
template <typename Value>
Value Get(const Message& message, const FieldDescriptor* field, int index,
          Value (Reflection::*get)(const Message&, const FieldDescriptor*) const,
          Value (Reflection::*get_repeated)(const Message&, const FieldDescriptor*, int) const) {
  const Reflection& reflection = *message.GetReflection();
  return index < 0 ? (reflection.*get)(message, field) : (reflection.*get_repeated)(message, field, index);
}

absl::Status AppendValue(const Message& message, const FieldDescriptor* field, int index, std::string& out) {
  const auto get = [&](auto one, auto of_many) { return Get(message, field, index, one, of_many); };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      out += std::to_string(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      out += std::to_string(get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      out += '"' + std::to_string(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64)) + '"';
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      out += '"' + std::to_string(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64)) + '"';
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      out += NumberText(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      out += NumberText(static_cast<double>(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat)));
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      out += get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      out += EnumText(*field->enum_type(), get(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue));
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      if (field->type() == FieldDescriptor::TYPE_BYTES) return Unsupported(*field);
      out += Quoted(get(&Reflection::GetString, &Reflection::GetRepeatedString));
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Reflection& reflection = *message.GetReflection();
      return AppendMessageValue(
          *field,
          index < 0 ? reflection.GetMessage(message, field) : reflection.GetRepeatedMessage(message, field, index),
          out);
    }
  }
  return absl::OkStatus();
}

absl::Status AppendMap(const Message& message, const FieldDescriptor* field, std::string& out) {
  std::map<std::string, std::string> texts;  // By key; both as JSON.
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, field, i);
    std::string key, value;
    RETURN_IF_ERROR(AppendValue(entry, field->message_type()->map_key(), -1, key));
    RETURN_IF_ERROR(AppendValue(entry, field->message_type()->map_value(), -1, value));
    if (!key.starts_with('"')) key = "\"" + key + "\"";
    texts[key] = value;
  }
  out += '{';
  for (const auto& [key, value] : texts) out += (out.back() == '{' ? "" : ",") + key + ":" + value;
  out += '}';
  return absl::OkStatus();
}

absl::Status AppendField(const Message& message, const FieldDescriptor* field, std::string& out) {
  if (field->is_map()) return AppendMap(message, field, out);
  if (!field->is_repeated()) return AppendValue(message, field, -1, out);
  out += '[';
  for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
    if (i > 0) out += ',';
    RETURN_IF_ERROR(AppendValue(message, field, i, out));
  }
  out += ']';
  return absl::OkStatus();
}

absl::Status AppendMessage(const Message& message, std::string& out) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);  // By number.
  out += '{';
  for (const FieldDescriptor* field : fields) {
    if (out.back() != '{') out += ',';
    out += '"' + field->name() + "\":";
    RETURN_IF_ERROR(AppendField(message, field, out));
  }
  out += '}';
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> CanonicalJson(const Message& message) {
  std::string out;
  RETURN_IF_ERROR(AppendMessage(message, out));
  return out;
}

}  // namespace benchwire
