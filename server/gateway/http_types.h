// The seam between the gateway and its HTTP library: requests, responses and event streams as plain values. Nothing
// here knows sockets; http_server.h is the one implementation, a test may be another.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_TYPES_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_TYPES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchwire::gateway {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A complete request. The head is well-formed and unambiguous: the server has refused everything else.
struct HttpRequest {
  std::string method;  // As sent; compare exactly.
  std::string path;    // Begins with `/`, still percent-encoded.
  std::string query;   // After the first `?`, still percent-encoded.
  HeaderList headers;  // Names as sent, values trimmed, in order.
  std::string body;    // Decoded from chunks, at most HttpServerOptions::body_limit bytes.
  bool http_1_0 = false;

  // Value of the first header with this name in any case; nullptr where there is none.
  const std::string* Header(std::string_view name) const;
};

// The body is shared so that a cached one is never copied. The server adds Content-Length, Connection and the common
// headers.
struct HttpResponse {
  int status = 200;
  HeaderList headers;
  std::shared_ptr<const std::string> body;
};

HttpResponse MakeResponse(int status, const std::string& content_type, std::string body);

// An open event stream to one client. Any thread. At most one Write with a `done` may wait at a time: that is its
// bound.
class StreamWriter {
 public:
  virtual ~StreamWriter() = default;
  // Sends a chunk; `done(true)` when the socket took it, `done(false)` when the client is gone. Never calls back from
  // inside.
  virtual void Write(std::string chunk, std::function<void(bool)> done) = 0;
  // Ends the stream after what was written. Further calls do nothing.
  virtual void Close() = 0;
};

struct StreamOptions {
  // Sent when nothing was for `heartbeat_seconds`, so that proxies and dead peers are noticed.
  std::string heartbeat;  // Empty: none.
  int heartbeat_seconds = 15;
  // Bytes that will come, where that is known: then the body has a length, and ending early breaks it off.
  std::optional<int64_t> length = {};
  // Called once, on a server thread, when the client left or the server stops. Not after Close.
  std::function<void()> on_gone;
};

// Answers one request: exactly one call of Send or StartStream, from any thread, at any time. Destroyed without either,
// the client gets 500.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void Send(HttpResponse response) = 0;
  // Sends the head (no body) and keeps the connection for the stream, which ends it.
  virtual std::shared_ptr<StreamWriter> StartStream(HttpResponse head, StreamOptions options) = 0;
};

// Called on a server thread; must not block.
using HttpHandler = std::function<void(HttpRequest, std::shared_ptr<Responder>)>;

// ASCII, any case.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_TYPES_H_
