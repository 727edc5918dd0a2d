// What a request must be to be handled at all: no web page of another origin may read from or start anything through
// its reader's browser (DNS rebinding, cross-site requests). Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_SAFETY_H_
#define BENCHWIRE_SERVER_GATEWAY_SAFETY_H_

#include <optional>
#include <string>
#include <vector>

#include "server/gateway/http_types.h"

namespace benchwire::gateway {

// The answer to a request that is refused, or nothing. `allowed_hosts` (names or addresses without port) beyond
// localhost, 127.0.0.1 and [::1]; any port is right, since a forwarded port is still ours.
//   400: no Host. 421: a Host that is not allowed.
//   Methods other than GET and HEAD: 403 for an Origin that is not ours, 415 for a Content-Type other than
//   application/json.
std::optional<HttpResponse> CheckSafety(const HttpRequest& request, const std::vector<std::string>& allowed_hosts);

// Sent with every response.
HeaderList SecurityHeaders();

// A request id that may be passed on: `[A-Za-z0-9_-]{1,64}`.
bool IsRequestId(const std::string& text);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_SAFETY_H_
