#include "clients/cpp/event_client.h"

#include <benchwire/v1/event_service.grpc.pb.h>

#include "clients/cpp/watch.h"
#include "server/base/status.h"

namespace benchwire::client {

struct EventClient::Stub {
  std::unique_ptr<v1::EventService::StubInterface> service;
};

EventClient::EventClient(Connection& connection)
    : connection_(connection), stub_(new Stub{v1::EventService::NewStub(connection.channel())}) {}

EventClient::~EventClient() = default;

absl::Status EventClient::Watch(std::optional<int64_t> after_revision, const std::string& prefix,
                                const std::function<bool(const v1::Event&)>& take) {
  v1::WatchEventsRequest request;
  request.set_resource_prefix(prefix);
  return client::Watch<v1::Event>(
      connection_,
      [&](grpc::ClientContext* context) {
        if (after_revision) request.set_after_revision(*after_revision);
        return stub_->service->WatchEvents(context, request);
      },
      [&](const v1::Event& event) -> absl::StatusOr<Take> {
        if (after_revision && event.revision() <= *after_revision) return Take::kMore;
        after_revision = event.revision();
        return take(event) ? Take::kMore : Take::kStop;
      },
      [](const absl::Status& status) { return MayRetry(status) || ErrorReason(status) == "SLOW_READER"; });
}

}  // namespace benchwire::client
