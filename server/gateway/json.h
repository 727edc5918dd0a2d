// Protobuf messages as JSON, by protobuf's own converter with lowerCamelCase keys. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_JSON_H_
#define BENCHWIRE_SERVER_GATEWAY_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/gateway/http_types.h"

namespace benchwire::gateway {

// Nested objects and arrays allowed in a request: the converter recurses.
inline constexpr int kMaxJsonDepth = 64;

// INVALID_ARGUMENT/BAD_FIELD naming the field where the converter does: not JSON, nested too deeply, unknown field,
// wrong type, out of range, a number that is not finite.
absl::Status ParseJson(const std::string& json, google::protobuf::Message* message);

// INTERNAL: the message holds bytes that are not UTF-8 in a text field.
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message);

// The code that HTTP clients see for a canonical code (google/rpc/code.proto).
int HttpStatus(absl::StatusCode code);

// google.rpc.Status as JSON with its details, those of types that are not compiled in left out. RetryInfo becomes
// Retry-After too. `http_status` 0: by the code.
HttpResponse ErrorResponse(const absl::Status& status, int http_status = 0);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_JSON_H_
