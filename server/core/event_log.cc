#include "server/core/event_log.h"

#include <memory>
#include <utility>

#include "server/base/status.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {
constexpr int64_t kPage = 256;
}

absl::StatusOr<int64_t> EventLog::Begin(const v1::WatchEventsRequest& request) const {
  RETURN_IF_ERROR(CheckLine("resource_prefix", request.resource_prefix(), 256));
  int64_t last = 0;
  RETURN_IF_ERROR(store_.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(last, view.events().LastRevision());
    return absl::OkStatus();
  }));
  if (!request.has_after_revision()) return last;
  RETURN_IF_ERROR(CheckRange("after_revision", request.after_revision(), 0, INT64_MAX));
  if (request.after_revision() > last) {
    return MakeError(absl::StatusCode::kOutOfRange, "REVISION_UNKNOWN",
                     "after_revision is " + std::to_string(request.after_revision()) + ", the newest is " +
                         std::to_string(last) + "; read the resources anew and watch from there",
                     {{"last_revision", std::to_string(last)}});
  }
  return request.after_revision();
}

WaitList::Id EventLog::Next(int64_t revision, const std::string& prefix, Callback callback) {
  struct State {
    EventPage page;
    std::string prefix;
    Callback callback;
  };
  auto state = std::make_shared<State>(State{{{}, revision}, prefix, std::move(callback)});
  return waits_.Add(kTopic, [this, state](bool stopping) {
    EventPage& page = state->page;
    const absl::Status status = store_.Read([&](const storage::View& view) -> absl::Status {
      ASSIGN_OR_RETURN(std::vector<v1::Event> events, view.events().List(page.last_revision, kPage));
      while (!events.empty() && page.events.empty()) {
        page.last_revision = events.back().revision();
        for (v1::Event& event : events) {
          if (event.resource().starts_with(state->prefix)) page.events.push_back(std::move(event));
        }
        if (page.events.empty()) {
          ASSIGN_OR_RETURN(events, view.events().List(page.last_revision, kPage));
        }
      }
      return absl::OkStatus();
    });
    if (!status.ok()) {
      state->callback(status);
    } else if (!page.events.empty()) {
      state->callback(std::move(page));
    } else if (stopping) {
      state->callback(MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping"));
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace benchwire::core
