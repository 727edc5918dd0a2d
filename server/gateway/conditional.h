// Entity tags and conditional requests (RFC 9110 §8.8.3, §13.1.2), and the answers that carry them. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_CONDITIONAL_H_
#define BENCHWIRE_SERVER_GATEWAY_CONDITIONAL_H_

#include <memory>
#include <string>

#include "server/gateway/http_types.h"

namespace benchwire::gateway {

inline constexpr char kCacheNever[] = "no-store";
inline constexpr char kCacheShortly[] = "public, max-age=60";
inline constexpr char kCacheForever[] = "public, max-age=31536000, immutable";

// An answer that anybody may keep.
struct PublicAnswer {
  std::shared_ptr<const std::string> body;
  std::string content_type;
  std::string cache_control;
  std::string etag;  // A hash of the body, quoted.
};

PublicAnswer MakePublicAnswer(std::string body, const std::string& content_type, const std::string& cache_control);

// Whether the value of If-None-Match names `etag`: a list of tags or `*`, compared weakly, since a proxy that
// compresses turns "x" into W/"x".
bool MatchesEtag(const std::string& if_none_match, const std::string& etag);

// 200 with the body, or 304 where the client has it already.
HttpResponse Respond(const HttpRequest& request, const PublicAnswer& answer);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_CONDITIONAL_H_
