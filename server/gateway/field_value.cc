#include "server/gateway/field_value.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "server/base/status.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FieldMask;
using google::protobuf::Message;
using google::protobuf::util::TimeUtil;

template <typename Number>
absl::StatusOr<Number> ParseNumber(const std::string& name, const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  bool valid = error == std::errc() && stop == end && !text.empty();
  if constexpr (std::is_floating_point_v<Number>) {
    valid = valid && std::isfinite(value);
    return valid ? absl::StatusOr<Number>(value) : BadField(name, text, "a finite number such as 0.95");
  } else {
    return valid ? absl::StatusOr<Number>(value)
                 : BadField(name, text,
                            "an integer from " + std::to_string(std::numeric_limits<Number>::min()) + " to " +
                                std::to_string(std::numeric_limits<Number>::max()));
  }
}

absl::StatusOr<int> ParseEnum(const EnumDescriptor* type, const std::string& name, const std::string& text) {
  if (const auto* value = type->FindValueByName(text)) return value->number();
  std::string names;
  for (int i = 0; i < type->value_count(); ++i) names += (i == 0 ? "" : ", ") + type->value(i)->name();
  return BadField(name, text, "one of " + names);
}

absl::Status AddMaskPaths(FieldMask& mask, const std::string& name, const std::string& text, const Descriptor* type) {
  size_t start = 0;
  while (start <= text.size() && !text.empty()) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const std::string path = text.substr(start, comma - start);
    start = comma + 1;
    if (path == "*" || type == nullptr) {
      mask.add_paths(path);
      continue;
    }
    const auto fields = FindField(type, path);
    if (!fields.ok()) {
      return BadField(name, path,
                      "comma-separated field names of " + type->name() + ", such as title,createTime, or *");
    }
    mask.add_paths(ProtoName(*fields));
  }
  return absl::OkStatus();
}

absl::Status SetMessage(Message* message, const FieldDescriptor* field, const std::string& name,
                        const std::string& text, const Descriptor* mask_type) {
  const auto* reflection = message->GetReflection();
  Message* target =
      field->is_repeated() ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field);
  if (auto* duration = dynamic_cast<google::protobuf::Duration*>(target)) {
    if (TimeUtil::FromString(text, duration)) return absl::OkStatus();
    return BadField(name, text, "a duration in seconds with the suffix s, such as 1.5s");
  }
  if (auto* timestamp = dynamic_cast<google::protobuf::Timestamp*>(target)) {
    if (TimeUtil::FromString(text, timestamp)) return absl::OkStatus();
    return BadField(name, text, "an RFC 3339 time with a zone, such as 2026-01-14T09:00:00Z");
  }
  if (auto* mask = dynamic_cast<FieldMask*>(target)) return AddMaskPaths(*mask, name, text, mask_type);
  return BadField(
      name, text,
      "the name of a field within it, such as " + name + "." +
          (target->GetDescriptor()->field_count() > 0 ? target->GetDescriptor()->field(0)->json_name() : "x"));
}

// Sets one field by the pair of reflection calls for its type.
class Setter {
 public:
  Setter(Message* message, const FieldDescriptor* field) : message_(message), field_(field) {}

  template <typename Value, typename Set, typename Add>
  absl::Status operator()(absl::StatusOr<Value> value, Set set, Add add) const {
    if (!value.ok()) return value.status();
    const auto* reflection = message_->GetReflection();
    if (field_->is_repeated()) {
      (reflection->*add)(message_, field_, *std::move(value));
    } else {
      (reflection->*set)(message_, field_, *std::move(value));
    }
    return absl::OkStatus();
  }

 private:
  Message* message_;
  const FieldDescriptor* field_;
};

}  // namespace

absl::Status SetFromText(Message* message, const FieldPath& path, const std::string& name, const std::string& text,
                         const Descriptor* mask_type) {
  using R = google::protobuf::Reflection;
  const FieldDescriptor* field = path.back();
  if (field->is_map()) return BadField(name, text, "a map cannot be given in a URL");
  Message* parent = MutableParent(message, path);
  const Setter set(parent, field);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set(ParseNumber<int32_t>(name, text), &R::SetInt32, &R::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return set(ParseNumber<int64_t>(name, text), &R::SetInt64, &R::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return set(ParseNumber<uint32_t>(name, text), &R::SetUInt32, &R::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(ParseNumber<uint64_t>(name, text), &R::SetUInt64, &R::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set(ParseNumber<double>(name, text), &R::SetDouble, &R::AddDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set(ParseNumber<float>(name, text), &R::SetFloat, &R::AddFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      if (text != "true" && text != "false") return BadField(name, text, "true or false");
      return set(absl::StatusOr<bool>(text == "true"), &R::SetBool, &R::AddBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return set(ParseEnum(field->enum_type(), name, text), &R::SetEnumValue, &R::AddEnumValue);
    case FieldDescriptor::CPPTYPE_STRING:
      if (field->type() == FieldDescriptor::TYPE_BYTES) return BadField(name, text, "bytes cannot be given in a URL");
      return set(absl::StatusOr<std::string>(text), &R::SetString, &R::AddString);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SetMessage(parent, field, name, text, mask_type);
  }
  return BadField(name, text, "a field of another type");
}

}  // namespace benchwire::gateway
