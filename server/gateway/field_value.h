// Setting a field of a message from the text of a URL. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_FIELD_VALUE_H_
#define BENCHWIRE_SERVER_GATEWAY_FIELD_VALUE_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "server/gateway/field_path.h"

namespace benchwire::gateway {

// Sets the field, or adds to it where it is repeated. Enums by name; Duration `1.5s`; Timestamp `2026-01-14T09:00:00Z`;
// FieldMask `body,sourceUri` in either spelling, its paths looked up in `mask_type` where that is given. Maps and bytes
// cannot be given in a URL. INVALID_ARGUMENT/BAD_FIELD naming `name` (as the caller wrote it), the value and the
// accepted form.
absl::Status SetFromText(google::protobuf::Message* message, const FieldPath& path, const std::string& name,
                         const std::string& text, const google::protobuf::Descriptor* mask_type);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_FIELD_VALUE_H_
