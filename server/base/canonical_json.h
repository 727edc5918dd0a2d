// One JSON text for a message, the same in every process and version: what digests cover must not change with a
// library. Pure.
#ifndef BENCHWIRE_SERVER_BASE_CANONICAL_JSON_H_
#define BENCHWIRE_SERVER_BASE_CANONICAL_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/statusor.h"

namespace benchwire {

// ProtoJSON (protobuf.dev/programming-guides/json) without white space: fields that are set, by number, in the names of
// the proto file; enums by name; maps by key; doubles as the shortest text that reads back the same.
// UNIMPLEMENTED/NO_CANONICAL_JSON: a field of type bytes, or of a well-known type other than Duration.
absl::StatusOr<std::string> CanonicalJson(const google::protobuf::Message& message);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_CANONICAL_JSON_H_
