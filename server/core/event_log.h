// Reading the log of changes in pages, waiting at its end. Nothing is queued for a reader: a slow one asks later, and misses
// nothing.
#ifndef BENCHWIRE_SERVER_CORE_EVENT_LOG_H_
#define BENCHWIRE_SERVER_CORE_EVENT_LOG_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/wait_list.h"
#include "storage/store.h"

namespace benchwire::core {

struct EventPage {
  std::vector<v1::Event> events;
  int64_t last_revision = 0;  // To go on after; beyond the last event where later ones did not match.
};

class EventLog {
 public:
  using Callback = std::function<void(absl::StatusOr<EventPage>)>;

  EventLog(const storage::Store& store, WaitList& waits) : store_(store), waits_(waits) {}

  // Where a watch begins: after the given revision, or at the end. OUT_OF_RANGE/REVISION_UNKNOWN, INVALID_ARGUMENT.
  absl::StatusOr<int64_t> Begin(const v1::WatchEventsRequest& request) const;

  // Calls back once, on the wait list's thread, with at least one event after `revision` whose resource starts with `prefix`.
  // UNAVAILABLE/STOPPING when the server stops.
  WaitList::Id Next(int64_t revision, const std::string& prefix, Callback callback);

  // There are new events. Any thread, does not block.
  void OnCommit() { waits_.Notify(kTopic); }

 private:
  static constexpr char kTopic[] = "events";
  const storage::Store& store_;
  WaitList& waits_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_EVENT_LOG_H_
