#include "server/gateway/http_connection.h"

#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include "server/gateway/http_event_stream.h"
#include "server/gateway/http_head_check.h"
#include "server/gateway/http_message.h"

namespace benchwire::gateway {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr char kHeadEnd[] = "\r\n\r\n";
constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::chrono::seconds kLingerTime{2};
constexpr size_t kLingerBytes = 16 << 20;
constexpr size_t kReadSize = 4096;

std::string ToString(beast::string_view text) { return {text.data(), text.size()}; }

HttpRequest ToRequest(http::request<http::string_body>&& message) {
  HttpRequest request;
  request.method = ToString(message.method_string());
  const std::string target = ToString(message.target());
  const size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  for (const auto& field : message) {
    request.headers.emplace_back(ToString(field.name_string()), ToString(field.value()));
  }
  request.body = std::move(message.body());
  request.http_1_0 = message.version() == 10;
  return request;
}

}  // namespace

// Answers one request of the connection from any thread.
class HttpConnection::RequestResponder final : public Responder {
 public:
  explicit RequestResponder(std::shared_ptr<HttpConnection> connection) : connection_(std::move(connection)) {}

  ~RequestResponder() override {
    if (!is_answered_) Send(connection_->options_.error_response(500, "the request was dropped"));
  }

  void Send(HttpResponse response) override {
    if (is_answered_.exchange(true)) return;
    net::dispatch(connection_->executor_, [connection = connection_, response = std::move(response)]() mutable {
      connection->Write(std::move(response));
    });
  }

  std::shared_ptr<StreamWriter> StartStream(HttpResponse head, StreamOptions options) override {
    is_answered_ = true;
    return connection_->BecomeStream(std::move(head), std::move(options));
  }

 private:
  const std::shared_ptr<HttpConnection> connection_;
  std::atomic<bool> is_answered_ = false;
};

HttpConnection::HttpConnection(Socket socket, const HttpServerOptions& options, SessionRegistry& registry)
    : stream_(std::move(socket)),
      executor_(stream_.get_executor()),
      options_(options),
      registry_(registry),
      buffer_(options.header_limit) {}

void HttpConnection::Start() {
  membership_ = registry_.Add(weak_from_this());
  net::dispatch(executor_, [self = shared_from_this()] { self->WaitForRequest(); });
}

void HttpConnection::Refuse() {
  membership_ = registry_.Add(weak_from_this());
  net::dispatch(executor_, [self = shared_from_this()] {
    self->Fail(503, "the server has as many connections as it allows; try again later");
  });
}

void HttpConnection::Drain() {
  net::post(executor_, [self = shared_from_this()] {
    self->is_draining_ = true;
    if (self->is_idle_) self->Close();
  });
}

void HttpConnection::Kill() {
  net::post(executor_, [self = shared_from_this()] { self->Close(); });
}

void HttpConnection::WaitForRequest() {
  if (is_draining_) {
    Close();
    return;
  }
  is_idle_ = buffer_.size() == 0;
  stream_.expires_after(is_idle_ ? options_.idle_timeout : options_.request_timeout);
  scanned_ = 0;
  ReadHead();
}

void HttpConnection::ReadHead() {
  const std::string_view read(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  const size_t end = read.find(kHeadEnd, scanned_);
  if (end != std::string_view::npos) {
    OnHead(read.substr(0, end + sizeof(kHeadEnd) - 1));
    return;
  }
  if (read.size() == buffer_.max_size()) {
    Fail(431, "the request head is larger than " + std::to_string(options_.header_limit) + " bytes");
    return;
  }
  scanned_ = read.size() - std::min(read.size(), sizeof(kHeadEnd) - 2);
  const size_t room = std::min<size_t>(kReadSize, buffer_.max_size() - read.size());
  stream_.async_read_some(buffer_.prepare(room), [self = shared_from_this()](ErrorCode error, size_t bytes) {
    if (error) {
      self->Close();
      return;
    }
    if (std::exchange(self->is_idle_, false)) self->stream_.expires_after(self->options_.request_timeout);
    self->buffer_.commit(bytes);
    self->ReadHead();
  });
}

void HttpConnection::OnHead(std::string_view head) {
  is_idle_ = false;
  if (std::string wrong = CheckHead(head); !wrong.empty()) {
    Fail(400, wrong);
    return;
  }
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(options_.header_limit));
  parser_->body_limit(options_.body_limit);
  http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode read_error, size_t) {
    if (read_error) {
      self->OnBody(read_error);
    } else {
      self->ReadBody();
    }
  });
}

void HttpConnection::ReadBody() {
  const auto& message = parser_->get();
  is_head_ = message.method() == http::verb::head;
  is_http_1_0_ = message.version() == 10;
  closes_ = !message.keep_alive();
  const auto read = [self = shared_from_this()] {
    http::async_read(self->stream_, self->buffer_, *self->parser_,
                     [self](ErrorCode error, size_t) { self->OnBody(error); });
  };
  if (parser_->is_done()) {
    Handle();
  } else if (!is_http_1_0_ && EqualsIgnoreCase(ToString(message[http::field::expect]), "100-continue")) {
    net::async_write(stream_, net::buffer(kContinue, sizeof(kContinue) - 1),
                     [self = shared_from_this(), read](ErrorCode error, size_t) {
                       if (error) {
                         self->Close();
                       } else {
                         read();
                       }
                     });
  } else {
    read();
  }
}

void HttpConnection::OnBody(ErrorCode error) {
  if (!error) {
    Handle();
  } else if (error == http::error::body_limit) {
    Fail(413, "the request body is larger than " + std::to_string(options_.body_limit) + " bytes");
  } else if (error.category() == http::make_error_code(http::error::end_of_stream).category() &&
             error != http::error::partial_message && error != http::error::end_of_stream) {
    Fail(400, "the request is not valid HTTP: " + error.message());
  } else {
    Close();
  }
}

void HttpConnection::Handle() {
  stream_.expires_never();
  HttpRequest request = ToRequest(parser_->release());
  parser_.reset();
  auto responder = std::make_shared<RequestResponder>(shared_from_this());
  options_.handler(std::move(request), std::move(responder));
}

void HttpConnection::Fail(int status, const std::string& message) {
  closes_ = true;
  Write(options_.error_response(status, message));
}

void HttpConnection::Write(HttpResponse response) {
  if (is_over_) return;
  if (is_draining_) closes_ = true;
  out_ = std::move(response);
  const bool no_length = is_head_ && out_.body == nullptr;
  out_head_ =
      ResponseHead(out_, options_.common_headers, {.http_1_0 = is_http_1_0_, .close = closes_, .no_length = no_length});
  const bool has_body = !is_head_ && out_.status != 204 && out_.status != 304 && out_.body != nullptr;
  const std::array<net::const_buffer, 2> buffers = {net::buffer(out_head_),
                                                    has_body ? net::buffer(*out_.body) : net::const_buffer()};
  stream_.expires_after(options_.request_timeout);
  net::async_write(stream_, buffers, [self = shared_from_this()](ErrorCode error, size_t) { self->OnWritten(error); });
}

void HttpConnection::OnWritten(ErrorCode error) {
  out_ = {};
  if (error) {
    Close();
  } else if (closes_) {
    // Closing a socket with unread bytes sends a reset, which may destroy the answer before the client read it.
    ErrorCode ignored;  // The peer may have closed first.
    stream_.socket().shutdown(Socket::shutdown_send, ignored);
    stream_.expires_after(kLingerTime);
    buffer_.clear();
    Linger();
  } else {
    WaitForRequest();
  }
}

void HttpConnection::Linger() {
  stream_.async_read_some(buffer_.prepare(std::min(kReadSize, buffer_.max_size())),
                          [self = shared_from_this()](ErrorCode error, size_t bytes) {
                            self->lingered_ += bytes;
                            if (error || self->lingered_ > kLingerBytes) {
                              self->Close();
                            } else {
                              self->Linger();
                            }
                          });
}

std::shared_ptr<StreamWriter> HttpConnection::BecomeStream(HttpResponse head, StreamOptions options) {
  const bool chunked = !is_http_1_0_ && !options.length.has_value();
  std::string bytes =
      ResponseHead(head, options_.common_headers,
                   {.http_1_0 = is_http_1_0_, .close = true, .stream = true, .stream_length = options.length});
  auto stream = std::make_shared<HttpEventStream>(executor_, options_, std::move(options), chunked);
  net::post(executor_, [self = shared_from_this(), stream, bytes = std::move(bytes)]() mutable {
    self->is_over_ = true;
    stream->Start(std::move(self->stream_), std::move(bytes), self->registry_);
    self->membership_ = {};
  });
  return stream;
}

void HttpConnection::Close() {
  if (std::exchange(is_over_, true)) return;
  ErrorCode ignored;  // The peer may have closed first; there is nothing to do about it.
  stream_.socket().shutdown(Socket::shutdown_both, ignored);
  stream_.close();
  membership_ = {};
}

}  // namespace benchwire::gateway
