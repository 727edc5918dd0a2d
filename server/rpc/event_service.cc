#include "server/rpc/event_service.h"

#include <atomic>
#include <memory>

#include "server/base/status.h"
#include "server/rpc/watch_reactor.h"

namespace benchwire::rpc {
namespace {

class EventSource final : public WatchSource<v1::Event> {
 public:
  EventSource(core::EventLog& events, core::WaitList& waits, int64_t revision, std::string prefix)
      : events_(events), waits_(waits), prefix_(std::move(prefix)), revision_(std::make_shared<int64_t>(revision)) {}

  void Next(Callback callback) override {
    wait_ = events_.Next(*revision_, prefix_, [revision = revision_, callback](absl::StatusOr<core::EventPage> page) {
      if (!page.ok()) return callback(page.status());
      *revision = page->last_revision;
      callback(std::move(page->events));
    });
  }
  void Cancel() override { waits_.Remove(wait_); }

 private:
  core::EventLog& events_;
  core::WaitList& waits_;
  const std::string prefix_;
  const std::shared_ptr<int64_t> revision_;  // Outlives the source where a callback is under way.
  std::atomic<core::WaitList::Id> wait_ = 0;
};

}  // namespace

grpc::ServerWriteReactor<v1::Event>* EventServiceImpl::WatchEvents(grpc::CallbackServerContext* context,
                                                                   const v1::WatchEventsRequest* request) {
  return new WatchReactor<v1::Event>(environment_, *context, "/benchwire.v1.EventService/WatchEvents",
                                     [&]() -> absl::StatusOr<std::unique_ptr<WatchSource<v1::Event>>> {
                                       ASSIGN_OR_RETURN(const int64_t revision, events_.Begin(*request));
                                       return std::make_unique<EventSource>(events_, waits_, revision,
                                                                            request->resource_prefix());
                                     });
}

}  // namespace benchwire::rpc
