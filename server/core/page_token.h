// Page tokens: the place after the last row of a page, bound to the query they belong to. Opaque to callers, checked when they
// come back. Pure.
#ifndef BENCHWIRE_SERVER_CORE_PAGE_TOKEN_H_
#define BENCHWIRE_SERVER_CORE_PAGE_TOKEN_H_

#include <string>

#include "absl/status/statusor.h"

namespace benchwire::core {

// `query`: everything that must be the same on the next page, such as the method, parent and filters.
std::string MakePageToken(const std::string& query, const std::string& place);

// The place, empty for an empty token. INVALID_ARGUMENT: not a token, or one of another query.
absl::StatusOr<std::string> ReadPageToken(const std::string& query, const std::string& token);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_PAGE_TOKEN_H_
