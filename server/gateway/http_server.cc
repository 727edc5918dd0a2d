#include "server/gateway/http_server.h"

#include <spdlog/spdlog.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <future>
#include <thread>
#include <vector>

#include "server/gateway/http_connection.h"

namespace benchwire::gateway {
namespace {

namespace net = boost::asio;
using net::ip::tcp;
using ErrorCode = boost::system::error_code;

// How many refused connections may be told so at a time; more are closed without a word.
constexpr size_t kMaxRefusals = 64;
constexpr std::chrono::milliseconds kAcceptPause{50};

class BeastServer final : public HttpServer {
 public:
  explicit BeastServer(HttpServerOptions options)
      : options_(std::move(options)), context_(options_.threads), acceptor_(context_), pause_(context_) {}

  // Every connection is closed by then, so the threads run out of work: nothing that was posted is dropped half done.
  ~BeastServer() override {
    Stop(std::chrono::milliseconds(0));
    work_.reset();
    for (auto& thread : threads_) thread.join();
  }

  absl::Status Start() override {
    ErrorCode error;
    const auto address = net::ip::make_address(options_.address, error);
    if (error || options_.port < 0 || options_.port > 65535) {
      return absl::InvalidArgumentError("HTTP address '" + options_.address + "' port " +
                                        std::to_string(options_.port) +
                                        " is not valid; expected a numeric IP address and a port of 0 to 65535");
    }
    const tcp::endpoint endpoint(address, static_cast<uint16_t>(options_.port));
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) {
      return absl::UnavailableError("cannot listen for HTTP on " + options_.address + " port " +
                                    std::to_string(options_.port) + ": " + error.message());
    }
    Accept();
    for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Run(); });
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Post(std::function<void()> work) override { net::post(context_, std::move(work)); }

  void PostAfter(std::chrono::milliseconds delay, std::function<void()> work) override {
    auto timer = std::make_shared<net::steady_timer>(context_, delay);
    timer->async_wait([timer, work = std::move(work)](ErrorCode error) {
      if (!error) work();
    });
  }

  void Stop(std::chrono::milliseconds grace) override {
    if (threads_.empty()) return;
    // On the strand that accepts, so that no connection comes after the ones that are counted below.
    std::promise<void> closed;
    net::post(accept_strand_, [this, &closed] {
      ErrorCode ignored;  // Closed already.
      acceptor_.close(ignored);
      pause_.cancel();
      closed.set_value();
    });
    closed.get_future().wait();
    for (const auto& session : registry_.Live()) session->Drain();
    registry_.WaitEmpty(grace);
    for (const auto& session : registry_.Live()) session->Kill();
    for (const auto& session : refusals_.Live()) session->Kill();
    registry_.WaitEmpty(std::chrono::seconds(1));
  }

 private:
  // An exception of a library or of a handler ends one piece of work, never the server.
  void Run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception& error) {
        spdlog::error("HTTP handler failed error={}", error.what());
      }
    }
  }

  void Accept() {
    acceptor_.async_accept(net::make_strand(context_),
                           net::bind_executor(accept_strand_, [this](ErrorCode error, tcp::socket socket) {
                             if (!acceptor_.is_open()) return;
                             if (!error) {
                               Welcome(std::move(socket));
                               Accept();
                               return;
                             }
                             // Most likely out of descriptors: accepting again at once would spin.
                             spdlog::warn("HTTP accept failed error={}", error.message());
                             pause_.expires_after(kAcceptPause);
                             pause_.async_wait(net::bind_executor(accept_strand_, [this](ErrorCode stopped) {
                               if (!stopped && acceptor_.is_open()) Accept();
                             }));
                           }));
  }

  void Welcome(tcp::socket socket) {
    ErrorCode ignored;  // Slower without it, not wrong.
    socket.set_option(tcp::no_delay(true), ignored);
    if (registry_.size() < static_cast<size_t>(options_.max_connections)) {
      std::make_shared<HttpConnection>(std::move(socket), options_, registry_)->Start();
    } else if (refusals_.size() < kMaxRefusals) {
      std::make_shared<HttpConnection>(std::move(socket), options_, refusals_)->Refuse();
    }
  }

  const HttpServerOptions options_;
  SessionRegistry registry_;
  SessionRegistry refusals_;
  net::io_context context_;
  net::strand<net::io_context::executor_type> accept_strand_ = net::make_strand(context_);
  tcp::acceptor acceptor_;
  net::steady_timer pause_;
  net::executor_work_guard<net::io_context::executor_type> work_ = net::make_work_guard(context_);
  int port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<HttpServer> MakeHttpServer(HttpServerOptions options) {
  return std::make_unique<BeastServer>(std::move(options));
}

}  // namespace benchwire::gateway
