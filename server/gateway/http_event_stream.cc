#include "server/gateway/http_event_stream.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "server/gateway/http_message.h"

namespace benchwire::gateway {
namespace net = boost::asio;

HttpEventStream::HttpEventStream(net::any_io_executor executor, const HttpServerOptions& server, StreamOptions options,
                                 bool chunked)
    : executor_(executor), server_(server), options_(std::move(options)), chunked_(chunked), heartbeat_(executor) {}

void HttpEventStream::Start(boost::beast::tcp_stream stream, std::string head, SessionRegistry& registry) {
  stream_.emplace(std::move(stream));
  if (!stream_->socket().is_open()) {
    Fail();
    return;
  }
  membership_ = registry.Add(weak_from_this());
  stream_->expires_never();  // For the read below; writes set their own limit.
  WatchForClose();
  Send(std::move(head), nullptr);
}

void HttpEventStream::Write(std::string chunk, Done done) {
  net::post(executor_, [self = shared_from_this(), chunk = std::move(chunk), done = std::move(done)]() mutable {
    if (self->is_over_ || self->is_closing_ || chunk.empty()) {
      if (done) done(false);
      return;
    }
    if (self->chunked_) chunk = Chunk(chunk);
    if (self->is_sending_) {
      self->waiting_ += chunk;
      self->waiting_done_ = std::move(done);
    } else {
      self->Send(std::move(chunk), std::move(done));
    }
  });
}

void HttpEventStream::Close() {
  net::post(executor_, [self = shared_from_this()] {
    if (self->is_over_ || self->is_closing_) return;
    self->is_closing_ = true;
    if (self->chunked_) self->waiting_ += kLastChunk;
    if (self->is_sending_) return;
    if (self->waiting_.empty()) {
      self->Finish();
    } else {
      self->Send(std::exchange(self->waiting_, {}), nullptr);
    }
  });
}

void HttpEventStream::Kill() {
  net::post(executor_, [self = shared_from_this()] { self->Fail(); });
}

void HttpEventStream::Send(std::string bytes, Done done) {
  is_sending_ = true;
  sending_ = std::move(bytes);
  sending_done_ = std::move(done);
  stream_->expires_after(server_.request_timeout);
  net::async_write(*stream_, net::buffer(sending_),
                   [self = shared_from_this()](ErrorCode error, size_t) { self->OnSent(error); });
}

void HttpEventStream::OnSent(ErrorCode error) {
  if (is_over_) return;
  if (error) {
    Fail();
    return;
  }
  is_sending_ = false;
  if (Done done = std::exchange(sending_done_, nullptr)) done(true);
  if (!waiting_.empty()) {
    Send(std::exchange(waiting_, {}), std::exchange(waiting_done_, nullptr));
  } else if (is_closing_) {
    Finish();
  } else {
    ArmHeartbeat();
  }
}

// A client has nothing to say on an event stream; what it sends is dropped. The end of its side ends the stream.
void HttpEventStream::WatchForClose() {
  stream_->async_read_some(net::buffer(discarded_), [self = shared_from_this()](ErrorCode error, size_t) {
    if (self->is_over_) return;
    if (error) {
      self->Fail();
    } else {
      self->WatchForClose();
    }
  });
}

void HttpEventStream::ArmHeartbeat() {
  if (options_.heartbeat.empty()) return;
  heartbeat_.expires_after(std::chrono::seconds(options_.heartbeat_seconds));
  heartbeat_.async_wait([weak = weak_from_this()](ErrorCode error) {
    auto self = weak.lock();
    if (error || !self || self->is_over_ || self->is_sending_ || self->is_closing_) return;
    self->Send(self->chunked_ ? Chunk(self->options_.heartbeat) : self->options_.heartbeat, nullptr);
  });
}

void HttpEventStream::Fail() {
  if (is_over_) return;
  auto on_gone = std::exchange(options_.on_gone, nullptr);
  if (is_closing_) on_gone = nullptr;
  Finish();
  if (Done done = std::exchange(sending_done_, nullptr)) done(false);
  if (Done done = std::exchange(waiting_done_, nullptr)) done(false);
  if (on_gone) on_gone();
}

void HttpEventStream::Finish() {
  is_over_ = true;
  options_.on_gone = nullptr;  // It may own what owns this stream.
  heartbeat_.cancel();
  ErrorCode ignored;  // The peer may have closed first; there is nothing to do about it.
  stream_->socket().shutdown(net::ip::tcp::socket::shutdown_both, ignored);
  stream_->close();
  membership_ = {};
}

}  // namespace benchwire::gateway
