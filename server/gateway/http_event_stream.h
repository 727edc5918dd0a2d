// A connection that has become an event stream. Internal to the HTTP server: includes Boost.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_EVENT_STREAM_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_EVENT_STREAM_H_

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <memory>
#include <optional>
#include <string>

#include "server/gateway/http_server.h"
#include "server/gateway/http_session.h"

namespace benchwire::gateway {

// Kept alive by its own operations and by the one who writes. State is touched on the connection's strand only. The
// queue is the chunk being sent and one that waits for a heartbeat; a write that makes no progress for
// `request_timeout` ends it.
class HttpEventStream final : public StreamWriter,
                              public HttpSession,
                              public std::enable_shared_from_this<HttpEventStream> {
 public:
  // `executor`: the connection's strand.
  HttpEventStream(boost::asio::any_io_executor executor, const HttpServerOptions& server, StreamOptions options,
                  bool chunked);

  // Takes the socket over and sends `head`, the response head. Called once, on the strand, before any posted Write
  // runs. A closed socket: the client is gone.
  void Start(boost::beast::tcp_stream stream, std::string head, SessionRegistry& registry);

  void Write(std::string chunk, std::function<void(bool)> done) override;
  void Close() override;
  void Drain() override {}  // Its writer ends it.
  void Kill() override;

 private:
  using ErrorCode = boost::system::error_code;
  using Done = std::function<void(bool)>;

  void Send(std::string bytes, Done done);
  void OnSent(ErrorCode error);
  void WatchForClose();
  void ArmHeartbeat();
  void Fail();  // The client is gone.
  void Finish();

  const boost::asio::any_io_executor executor_;
  std::optional<boost::beast::tcp_stream> stream_;  // From Start on.
  const HttpServerOptions& server_;
  StreamOptions options_;
  const bool chunked_;
  SessionRegistry::Membership membership_;
  boost::asio::steady_timer heartbeat_;
  std::array<char, 512> discarded_{};
  std::string sending_;
  Done sending_done_;
  bool is_sending_ = false;
  std::string waiting_;
  Done waiting_done_;
  bool is_closing_ = false;
  bool is_over_ = false;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_EVENT_STREAM_H_
