// Requests for pages: asks the services, renders, and keeps what is published. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_PAGE_HANDLER_H_
#define BENCHWIRE_SERVER_GATEWAY_PAGE_HANDLER_H_

#include <memory>
#include <string>

#include "server/gateway/http_types.h"
#include "server/gateway/published.h"
#include "server/gateway/rpc_client.h"

namespace benchwire::gateway {

inline constexpr char kStylePath[] = "/static/style.css";
inline constexpr char kScriptPath[] = "/static/app.js";

class PageHandler {
 public:
  // Borrows everything.
  PageHandler(RpcClient& rpc, Published& published) : rpc_(rpc), published_(published) {}

  // GET and HEAD. Errors are pages too.
  void Handle(HttpRequest request, const CallOptions& options, std::shared_ptr<Responder> responder);

 private:
  struct Visit;  // One request on its way.
  using VisitPtr = std::shared_ptr<Visit>;

  void Home(const VisitPtr& visit);
  void Digest(const VisitPtr& visit, const std::string& name);
  void Edition(const VisitPtr& visit, const std::string& name);
  void Jobs(const VisitPtr& visit, const std::string& page_token);
  void Job(const VisitPtr& visit, const std::string& name);
  void JobMeasurements(const VisitPtr& visit);
  void JobLog(const VisitPtr& visit);

  void SendPublished(const VisitPtr& visit, std::string html, const std::string& cache_control);
  static void SendUncached(const VisitPtr& visit, std::string html);
  static void SendError(const VisitPtr& visit, const absl::Status& status);

  template <typename Response, typename Request, typename Then>
  void Ask(const VisitPtr& visit, const std::string& rpc_path, const Request& request, Then then);

  RpcClient& rpc_;
  Published& published_;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_PAGE_HANDLER_H_
