#include "server/gateway/conditional.h"

#include "server/base/sha256.h"

namespace benchwire::gateway {

PublicAnswer MakePublicAnswer(std::string body, const std::string& content_type, const std::string& cache_control) {
  PublicAnswer answer;
  answer.etag = "\"" + Sha256Hex(body).substr(0, 32) + "\"";
  answer.body = std::make_shared<const std::string>(std::move(body));
  answer.content_type = content_type;
  answer.cache_control = cache_control;
  return answer;
}

bool MatchesEtag(const std::string& if_none_match, const std::string& etag) {
  size_t position = if_none_match.find_first_not_of(" \t");
  if (position != std::string::npos && if_none_match.substr(position) == "*") return true;
  // A tag holds no quotes, so each odd quote opens one. Commas within a tag are part of it.
  for (size_t open = if_none_match.find('"'); open != std::string::npos; open = if_none_match.find('"', open)) {
    const size_t close = if_none_match.find('"', open + 1);
    if (close == std::string::npos) return false;
    if (if_none_match.compare(open, close - open + 1, etag) == 0) return true;
    open = close + 1;
  }
  return false;
}

HttpResponse Respond(const HttpRequest& request, const PublicAnswer& answer) {
  HttpResponse response;
  const std::string* condition = request.Header("If-None-Match");
  if (condition != nullptr && MatchesEtag(*condition, answer.etag)) {
    response.status = 304;
  } else {
    response.headers.emplace_back("Content-Type", answer.content_type);
    response.body = answer.body;
  }
  response.headers.emplace_back("ETag", answer.etag);
  response.headers.emplace_back("Cache-Control", answer.cache_control);
  return response;
}

}  // namespace benchwire::gateway
