// Answers about published things: from the cache where nothing was published since, and with the headers that let a
// client or a CDN keep them. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_PUBLISHED_H_
#define BENCHWIRE_SERVER_GATEWAY_PUBLISHED_H_

#include <cstdint>
#include <functional>
#include <string>

#include "server/gateway/conditional.h"
#include "server/gateway/http_types.h"
#include "server/gateway/response_cache.h"

namespace benchwire::gateway {

class Published {
 public:
  Published(size_t cache_bytes, std::function<int64_t()> generation)
      : cache_(cache_bytes), generation_(std::move(generation)) {}

  // To be read before an answer is made.
  int64_t generation() const { return generation_(); }

  // Answers GET or HEAD from the cache; false where it holds nothing for this target now.
  bool TryRespond(const HttpRequest& request, Responder& responder);

  // Keeps a new answer and sends it, or 304.
  void Respond(const HttpRequest& request, int64_t generation, const PublicAnswer& answer, Responder& responder);

 private:
  ResponseCache cache_;
  const std::function<int64_t()> generation_;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_PUBLISHED_H_
