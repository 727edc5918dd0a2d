#include "server/gateway/api_handler.h"

#include <benchwire/v1/digest_service.pb.h>

#include "server/base/status.h"
#include "server/gateway/download.h"
#include "server/gateway/json.h"
#include "server/gateway/transcoder.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::Message;

constexpr char kJson[] = "application/json";

HttpResponse NoSuchPath(const std::string& path) {
  return ErrorResponse(MakeError(absl::StatusCode::kNotFound, "NO_SUCH_PATH", path + " is not a path of this API"));
}

HttpResponse MethodNotAllowed(const std::string& method, const std::vector<std::string>& allowed) {
  std::string list;
  for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
  HttpResponse response = ErrorResponse(
      MakeError(absl::StatusCode::kUnimplemented, "METHOD_NOT_ALLOWED", method + " is not one of " + list), 405);
  response.headers.emplace_back("Allow", list);
  return response;
}

absl::StatusOr<std::string> AnswerJson(const Route& route, const absl::StatusOr<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  std::unique_ptr<Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(route.method->output_type())->New());
  if (!message->ParseFromString(*bytes)) {
    return MakeError(absl::StatusCode::kInternal, "NOT_READABLE",
                     "the answer of " + route.rpc_path + " cannot be read");
  }
  return ToJson(*message);
}

}  // namespace

std::string CacheControlOf(const Message& rpc_request) {
  if (dynamic_cast<const v1::GetEditionRequest*>(&rpc_request) != nullptr) return kCacheForever;
  const auto* digest = dynamic_cast<const v1::GetDigestRequest*>(&rpc_request);
  return digest != nullptr && digest->view() != v1::DIGEST_VIEW_DRAFT ? kCacheShortly : kCacheNever;
}

void ApiHandler::Handle(const HttpRequest& request, const CallOptions& options, std::shared_ptr<Responder> responder) {
  if (published_.TryRespond(request, *responder)) return;
  const auto path = ParsePath(request.path);
  if (!path.ok()) {
    responder->Send(ErrorResponse(path.status()));
    return;
  }
  const RouteMatch match = routes_.Find(request.method == "HEAD" ? "GET" : request.method, *path);
  if (match.route == nullptr) {
    responder->Send(match.allowed.empty() ? NoSuchPath(request.path) : MethodNotAllowed(request.method, match.allowed));
    return;
  }
  const auto rpc_request = BuildRpcRequest(match, request);
  if (!rpc_request.ok()) {
    responder->Send(ErrorResponse(rpc_request.status()));
  } else if (const auto* artifact = dynamic_cast<const v1::ReadArtifactRequest*>(rpc_request->get());
             artifact != nullptr) {
    StartDownload(rpc_, request.method == "HEAD", *artifact, options, std::move(responder));
  } else if (!match.route->method->server_streaming()) {
    CallUnary(request, *match.route, **rpc_request, options, std::move(responder));
  } else if (request.method == "HEAD") {
    responder->Send(EventStreamHead());
  } else {
    StartEventRelay(relays_, *match.route, **rpc_request, options, std::move(responder));
  }
}

void ApiHandler::CallUnary(const HttpRequest& request, const Route& route, const Message& rpc_request,
                           const CallOptions& options, std::shared_ptr<Responder> responder) {
  const std::string cache_control = CacheControlOf(rpc_request);
  const int64_t generation = published_.generation();
  rpc_.Call(route.rpc_path, rpc_request, options,
            [this, request, &route, cache_control, generation, responder](const absl::StatusOr<std::string>& bytes) {
              absl::StatusOr<std::string> json = AnswerJson(route, bytes);
              if (!json.ok()) {
                responder->Send(ErrorResponse(json.status()));
              } else if (cache_control != kCacheNever) {
                published_.Respond(request, generation, MakePublicAnswer(*std::move(json), kJson, cache_control),
                                   *responder);
              } else {
                HttpResponse response = MakeResponse(200, kJson, *std::move(json));
                response.headers.emplace_back("Cache-Control", kCacheNever);
                responder->Send(std::move(response));
              }
            });
}

}  // namespace benchwire::gateway
