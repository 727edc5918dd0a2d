// Requests under /v1: answered by the RPC that the annotations name. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_API_HANDLER_H_
#define BENCHWIRE_SERVER_GATEWAY_API_HANDLER_H_

#include <google/protobuf/message.h>

#include <memory>
#include <string>

#include "server/gateway/event_relay.h"
#include "server/gateway/http_types.h"
#include "server/gateway/published.h"
#include "server/gateway/route_table.h"
#include "server/gateway/rpc_client.h"

namespace benchwire::gateway {

class ApiHandler {
 public:
  // Borrows everything.
  ApiHandler(const RouteTable& routes, RpcClient& rpc, Published& published, EventRelayContext& relays)
      : routes_(routes), rpc_(rpc), published_(published), relays_(relays) {}

  // Errors are google.rpc.Status as JSON: 400 where the request does not fit its RPC, 404, 405 with Allow, else by the
  // RPC.
  void Handle(const HttpRequest& request, const CallOptions& options, std::shared_ptr<Responder> responder);

 private:
  void CallUnary(const HttpRequest& request, const Route& route, const google::protobuf::Message& rpc_request,
                 const CallOptions& options, std::shared_ptr<Responder> responder);

  const RouteTable& routes_;
  RpcClient& rpc_;
  Published& published_;
  EventRelayContext& relays_;
};

// Cache-Control of an answer to this RPC request: published digests and editions may be kept, nothing else.
std::string CacheControlOf(const google::protobuf::Message& rpc_request);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_API_HANDLER_H_
