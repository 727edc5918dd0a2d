#include "server/gateway/gateway.h"

#include <google/protobuf/empty.pb.h>

#include "server/base/status.h"
#include "server/gateway/api_handler.h"
#include "server/gateway/http_server.h"
#include "server/gateway/json.h"
#include "server/gateway/page_handler.h"
#include "server/gateway/safety.h"
#include "server/gateway/static_files.h"

namespace benchwire::gateway {
namespace {

// Every service with annotations; AgentService is for workers and has none.
const std::vector<std::string>& Services() {
  static const std::vector<std::string> services = {"benchwire.v1.DigestService", "benchwire.v1.JobService",
                                                    "benchwire.v1.FleetService", "benchwire.v1.EventService"};
  return services;
}

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kServing[] = "\x08\x01";  // HealthCheckResponse{status: SERVING}; its proto is not among our headers.

// Adds the request id to whatever the answer is.
class IdentifiedResponder final : public Responder {
 public:
  IdentifiedResponder(std::shared_ptr<Responder> inner, std::string id)
      : inner_(std::move(inner)), id_(std::move(id)) {}
  void Send(HttpResponse response) override {
    response.headers.emplace_back("X-Request-Id", id_);
    inner_->Send(std::move(response));
  }
  std::shared_ptr<StreamWriter> StartStream(HttpResponse head, StreamOptions options) override {
    head.headers.emplace_back("X-Request-Id", id_);
    return inner_->StartStream(std::move(head), std::move(options));
  }

 private:
  const std::shared_ptr<Responder> inner_;
  const std::string id_;
};

class GatewayImpl final : public Gateway {
 public:
  GatewayImpl(const GatewayOptions& options, GatewayDeps deps, RouteTable routes)
      : options_(options),
        deps_(std::move(deps)),
        routes_(std::move(routes)),
        published_(options.cache_bytes, deps_.publication_generation) {}

  ~GatewayImpl() override { Stop(); }

  absl::Status Listen() {
    HttpServerOptions http;
    http.address = options_.address;
    http.port = options_.port;
    http.threads = options_.threads;
    http.max_connections = options_.max_connections;
    http.idle_timeout = options_.idle_timeout;
    http.request_timeout = options_.request_timeout;
    http.common_headers = SecurityHeaders();
    http.handler = [this](const HttpRequest& request, std::shared_ptr<Responder> responder) {
      Handle(request, std::move(responder));
    };
    http.error_response = [](int status, const std::string& message) {
      return ErrorResponse(MakeError(status == 503   ? absl::StatusCode::kUnavailable
                                     : status == 500 ? absl::StatusCode::kInternal
                                                     : absl::StatusCode::kInvalidArgument,
                                     "HTTP_" + std::to_string(status), message),
                           status);
    };
    server_ = MakeHttpServer(std::move(http));
    rpc_ = MakeRpcClient(deps_.channel,
                         [server = server_.get()](std::function<void()> work) { server->Post(std::move(work)); });
    relays_.rpc = rpc_.get();
    relays_.server = server_.get();
    relays_.heartbeat_seconds = static_cast<int>(options_.heartbeat.count());
    relays_.max_streams = options_.max_event_streams;
    api_ = std::make_unique<ApiHandler>(routes_, *rpc_, published_, relays_);
    pages_ = std::make_unique<PageHandler>(*rpc_, published_);
    return server_->Start();
  }

  int port() const override { return server_->port(); }

  void Stop() override {
    if (relays_.is_stopping.exchange(true)) return;
    rpc_->CancelStreams();
    server_->Stop(options_.stop_grace);
    rpc_->Stop();
  }

 private:
  void Handle(const HttpRequest& request, std::shared_ptr<Responder> responder) {
    CallOptions options;
    options.timeout = options_.call_timeout;
    if (const std::string* id = request.Header("X-Request-Id"); id != nullptr && IsRequestId(*id)) {
      options.request_id = *id;
      responder = std::make_shared<IdentifiedResponder>(std::move(responder), *id);
    }
    if (auto refusal = CheckSafety(request, options_.allowed_hosts)) {
      responder->Send(*std::move(refusal));
    } else if (request.path == "/v1" || request.path.starts_with("/v1/")) {
      api_->Handle(request, options, std::move(responder));
    } else if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse response = ErrorResponse(
          MakeError(absl::StatusCode::kUnimplemented, "METHOD_NOT_ALLOWED", "only GET and HEAD are allowed here"), 405);
      response.headers.emplace_back("Allow", "GET, HEAD");
      responder->Send(std::move(response));
    } else {
      HandleGet(request, options, std::move(responder));
    }
  }

  void HandleGet(const HttpRequest& request, const CallOptions& options, std::shared_ptr<Responder> responder) {
    if (request.path == "/metrics") {
      responder->Send(Uncached(200, "text/plain; version=0.0.4; charset=utf-8", deps_.metrics_text()));
    } else if (request.path == "/healthz") {
      CheckHealth(options, std::move(responder));
    } else if (request.path == "/favicon.ico") {
      HttpResponse response;
      response.status = 204;
      response.headers.emplace_back("Cache-Control", "public, max-age=86400");
      responder->Send(std::move(response));
    } else if (request.path == kStylePath) {
      responder->Send(Respond(request, style_));
    } else if (request.path == kScriptPath) {
      responder->Send(Respond(request, script_));
    } else {
      pages_->Handle(request, options, std::move(responder));
    }
  }

  void CheckHealth(CallOptions options, std::shared_ptr<Responder> responder) {
    if (relays_.is_stopping) {
      responder->Send(Uncached(503, "text/plain; charset=utf-8", "stopping\n"));
      return;
    }
    options.timeout = std::min(options.timeout, std::chrono::milliseconds(2'000));
    rpc_->Call(kHealthCheck, google::protobuf::Empty(), options, [responder](const absl::StatusOr<std::string>& bytes) {
      // A server without the health service still shows that it answers.
      const bool serving = bytes.ok() ? *bytes == kServing : absl::IsUnimplemented(bytes.status());
      responder->Send(Uncached(serving ? 200 : 503, "text/plain; charset=utf-8", serving ? "ok\n" : "not serving\n"));
    });
  }

  static HttpResponse Uncached(int status, const std::string& content_type, std::string body) {
    HttpResponse response = MakeResponse(status, content_type, std::move(body));
    response.headers.emplace_back("Cache-Control", kCacheNever);
    return response;
  }

  const GatewayOptions options_;
  const GatewayDeps deps_;
  const RouteTable routes_;
  Published published_;
  const PublicAnswer style_ = MakePublicAnswer(kStyleCss, "text/css; charset=utf-8", kCacheShortly);
  const PublicAnswer script_ = MakePublicAnswer(kAppJs, "text/javascript; charset=utf-8", kCacheShortly);
  EventRelayContext relays_;
  std::unique_ptr<ApiHandler> api_;
  std::unique_ptr<PageHandler> pages_;
  // The server goes first: its threads may still be finishing work that uses what stands above.
  std::unique_ptr<RpcClient> rpc_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const GatewayOptions& options, GatewayDeps deps) {
  ASSIGN_OR_RETURN(RouteTable routes, RouteTable::Build(Services()));
  auto gateway = std::make_unique<GatewayImpl>(options, std::move(deps), std::move(routes));
  RETURN_IF_ERROR(gateway->Listen());
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace benchwire::gateway
