// An HTTP/1.1 server on a few threads of its own: keep-alive, one request of a connection at a time (pipelined ones
// wait in the socket), limits on everything, and no tolerance for a head that two parties could read differently.
// Boost.Beast is confined to http_server.cc and http_connection.cc.
//
// Errors it answers itself, through `error_response`: 400 not valid HTTP, 413 body too large, 431 head too large, 503
// too many connections, 500 where the handler dropped the request. A client that is too slow to send a request is
// disconnected.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_SERVER_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/gateway/http_types.h"

namespace benchwire::gateway {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  // 0: any free one.
  int threads = 2;
  int max_connections = 4096;
  size_t header_limit = 16 << 10;
  size_t body_limit = 8 << 20;
  std::chrono::seconds idle_timeout{60};  // Between requests.
  std::chrono::seconds request_timeout{
      30};                    // From the first byte of a request to its last; also for each write to a client.
  HeaderList common_headers;  // On every response.
  HttpHandler handler;
  // Makes the answer to a request that never reached the handler.
  std::function<HttpResponse(int status, const std::string& message)> error_response;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;  // Stops with no grace.
  // Opens the port and begins to serve. Once. INVALID_ARGUMENT: bad address. UNAVAILABLE: the port is taken or cannot
  // be opened.
  virtual absl::Status Start() = 0;
  // The port that is open.
  virtual int port() const = 0;
  // Runs `work` on a server thread soon, or after a delay. Any thread. Dropped once stopped.
  virtual void Post(std::function<void()> work) = 0;
  virtual void PostAfter(std::chrono::milliseconds delay, std::function<void()> work) = 0;
  // Stops accepting and closes idle connections; waits up to `grace` for requests in progress and for event streams,
  // which their writers are to end, then closes those too. Server threads go on until the object is destroyed, so that
  // late work can still be posted.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

std::unique_ptr<HttpServer> MakeHttpServer(HttpServerOptions options);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_SERVER_H_
