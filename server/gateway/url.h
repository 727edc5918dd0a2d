// Percent-encoding and query strings (RFC 3986). Pure. Everything is decoded exactly once.
#ifndef BENCHWIRE_SERVER_GATEWAY_URL_H_
#define BENCHWIRE_SERVER_GATEWAY_URL_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

// INVALID_ARGUMENT: a `%` without two hex digits, a control character, or bytes that are not UTF-8.
absl::StatusOr<std::string> PercentDecode(std::string_view text);

// `a=1&b=2` in order; `+` is a space, a name without `=` has an empty value. Errors as above.
absl::StatusOr<QueryParameters> ParseQuery(std::string_view query);

// Everything but unreserved characters escaped, so that it is safe as one path segment or query value.
std::string PercentEncode(std::string_view text);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_URL_H_
