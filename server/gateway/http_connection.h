// One connection of the HTTP server: reads a request, hands it to the handler, writes the answer, reads the next.
// Internal to the HTTP server: includes Boost.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_CONNECTION_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_CONNECTION_H_

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/gateway/http_server.h"
#include "server/gateway/http_session.h"

namespace benchwire::gateway {

// Kept alive by its own operations and by the responder of the request in progress. State is touched on the strand
// only.
class HttpConnection final : public HttpSession, public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  HttpConnection(Socket socket, const HttpServerOptions& options, SessionRegistry& registry);

  void Start();
  // Answers 503 and closes, without reading a request.
  void Refuse();
  void Drain() override;
  void Kill() override;

 private:
  class RequestResponder;
  using ErrorCode = boost::system::error_code;

  void WaitForRequest();
  void ReadHead();
  void OnHead(std::string_view head);
  void ReadBody();
  void OnBody(ErrorCode error);
  void Handle();
  // Answers a request that cannot be handled, and closes.
  void Fail(int status, const std::string& message);
  void Write(HttpResponse response);
  void OnWritten(ErrorCode error);
  // Any thread, while a request is handled.
  std::shared_ptr<StreamWriter> BecomeStream(HttpResponse head, StreamOptions options);
  void Linger();
  void Close();

  boost::beast::tcp_stream stream_;
  const boost::asio::any_io_executor executor_;  // The strand.
  const HttpServerOptions& options_;
  SessionRegistry& registry_;
  SessionRegistry::Membership membership_;
  boost::beast::flat_buffer buffer_;
  size_t scanned_ = 0;  // Of the buffer, for the end of the head.
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  bool is_draining_ = false;
  bool is_idle_ = true;
  bool is_over_ = false;  // Closed, or the socket went to an event stream.
  // Of the request in progress.
  bool is_head_ = false;
  bool is_http_1_0_ = false;
  bool closes_ = false;
  std::string out_head_;
  HttpResponse out_;
  size_t lingered_ = 0;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_CONNECTION_H_
