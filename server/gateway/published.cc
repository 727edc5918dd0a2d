#include "server/gateway/published.h"

namespace benchwire::gateway {
namespace {

std::string Target(const HttpRequest& request) {
  return request.query.empty() ? request.path : request.path + "?" + request.query;
}

}  // namespace

bool Published::TryRespond(const HttpRequest& request, Responder& responder) {
  if (request.method != "GET" && request.method != "HEAD") return false;
  if (!request.body.empty()) return false;  // A mistake that the RPC path explains.
  const auto answer = cache_.Get(Target(request), generation_());
  if (!answer) return false;
  responder.Send(gateway::Respond(request, *answer));
  return true;
}

void Published::Respond(const HttpRequest& request, int64_t generation, const PublicAnswer& answer,
                        Responder& responder) {
  cache_.Put(Target(request), generation, answer);
  responder.Send(gateway::Respond(request, answer));
}

}  // namespace benchwire::gateway
