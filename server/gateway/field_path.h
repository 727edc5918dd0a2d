// Fields of a message by dotted path, in both spellings (`update_mask`, `updateMask`). Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_FIELD_PATH_H_
#define BENCHWIRE_SERVER_GATEWAY_FIELD_PATH_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

using FieldPath = std::vector<const google::protobuf::FieldDescriptor*>;

// The field named `name` or, in JSON, `name`; null where there is none.
const google::protobuf::FieldDescriptor* FieldByName(const google::protobuf::Descriptor* type, const std::string& name);

// The fields along `path`; all but the last are singular messages. NOT_FOUND: no such field.
absl::StatusOr<FieldPath> FindField(const google::protobuf::Descriptor* type, const std::string& path);

// The path in the spelling of the proto file.
std::string ProtoName(const FieldPath& path);
// The path in the spelling of JSON.
std::string JsonName(const FieldPath& path);

// The message that holds the last field of the path, made where absent.
google::protobuf::Message* MutableParent(google::protobuf::Message* message, const FieldPath& path);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_FIELD_PATH_H_
