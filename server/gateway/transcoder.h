// From an HTTP request to the request message of its RPC. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_TRANSCODER_H_
#define BENCHWIRE_SERVER_GATEWAY_TRANSCODER_H_

#include <google/protobuf/message.h>

#include <memory>

#include "absl/status/statusor.h"
#include "server/gateway/http_types.h"
#include "server/gateway/route_table.h"

namespace benchwire::gateway {

// Body first, then path, then query. A PATCH without a mask changes the fields its body holds, `name` and `etag` aside:
// they say which resource is meant, not what to change. `Last-Event-ID` stands for `after_revision`.
//
// INVALID_ARGUMENT/BAD_FIELD, with or without a body alike: an unknown parameter, a wrong type, a singular field given
// twice, a body where none belongs, a name in the body that is not the one in the path, nothing to change.
absl::StatusOr<std::unique_ptr<google::protobuf::Message>> BuildRpcRequest(const RouteMatch& match,
                                                                           const HttpRequest& request);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_TRANSCODER_H_
