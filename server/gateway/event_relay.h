// A server-streaming RPC as server-sent events (WHATWG HTML §9.2): one `data:` line of JSON a message, and an `id:`
// where the message has a `revision`, so that a browser resumes by itself. An error before the first message is an
// ordinary HTTP error; a later one is sent as `event: error` with google.rpc.Status, and the stream ends.
//
// At most one message is in flight between gRPC and the socket; a reader that is slower than its stream holds the RPC
// back, whose own bound then decides. A reader that takes nothing for the server's write timeout is disconnected.
#ifndef BENCHWIRE_SERVER_GATEWAY_EVENT_RELAY_H_
#define BENCHWIRE_SERVER_GATEWAY_EVENT_RELAY_H_

#include <google/protobuf/message.h>

#include <atomic>
#include <memory>
#include <string>

#include "server/gateway/http_server.h"
#include "server/gateway/route_table.h"
#include "server/gateway/rpc_client.h"

namespace benchwire::gateway {

// What all relays of a gateway share. Must outlive them.
struct EventRelayContext {
  RpcClient* rpc = nullptr;
  HttpServer* server = nullptr;
  int heartbeat_seconds = 15;
  int max_streams = 256;
  std::atomic<int> streams = 0;
  std::atomic<bool> is_stopping = false;  // Streams that are cancelled now end with UNAVAILABLE: come again.
};

// Starts the relay, which keeps itself alive. 503 where there are max_streams already.
void StartEventRelay(EventRelayContext& context, const Route& route, const google::protobuf::Message& rpc_request,
                     const CallOptions& options, std::shared_ptr<Responder> responder);

// The head of every event stream, without body: also the answer to HEAD.
HttpResponse EventStreamHead();

// One message as it goes over the wire. INTERNAL: see ToJson.
absl::StatusOr<std::string> FormatEvent(const google::protobuf::Message& message);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_EVENT_RELAY_H_
