// What a PATCH body means to change. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_PATCH_MASK_H_
#define BENCHWIRE_SERVER_GATEWAY_PATCH_MASK_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/field_mask.pb.h>

#include <string>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

// The fields of `type` present in the JSON object `body`, in the spelling of the proto file: a nested message by those
// of its fields that are there; a list, a map, null and an empty object as a whole. `name` and `etag` are left out.
// INVALID_ARGUMENT/BAD_FIELD: nothing else is there.
absl::StatusOr<google::protobuf::FieldMask> MaskOfBody(const std::string& body,
                                                       const google::protobuf::Descriptor* type);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_PATCH_MASK_H_
