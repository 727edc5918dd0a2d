// Watches one runner from its start to its end: drains its pipes, keeps its timeout, stops it on request, by SIGTERM
// and after a delay SIGKILL to everything it started. On the thread that started the child.
#ifndef BENCHWIRE_WORKERS_AGENT_SUPERVISE_H_
#define BENCHWIRE_WORKERS_AGENT_SUPERVISE_H_

#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "server/base/clock.h"
#include "workers/agent/child_process.h"
#include "workers/agent/stop_request.h"

namespace benchwire::agent {

// Where a runner's output goes.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void OnLog(std::string_view bytes) = 0;
  // False: the sink is full. The event pipe is not read until StopRequest::Wake and WantsEvents() again; the log pipe
  // always is.
  virtual bool WantsEvents() = 0;
  // An error ends the runner with StopCause::kBadEvent; later events are read and dropped.
  virtual absl::Status OnEvents(std::string_view bytes) = 0;
};

struct SuperviseLimits {
  std::chrono::nanoseconds timeout{0};
  std::chrono::milliseconds kill_delay{10'000};
  // How often the child is told at least that its agent is alive.
  std::chrono::milliseconds life_interval{1'000};
};

struct RunnerEnd {
  ChildExit exit;
  // What of OutputSink::OnEvents was wrong.
  absl::Status bad_event;
  // The runner had ended before anything asked it to stop.
  bool by_itself = false;
};

// Returns when the runner and all it started are gone and its pipes are empty. Where the sink is full then, waits for
// room, unless a stop was requested: then the rest of the events is dropped.
RunnerEnd Supervise(ChildProcess& child, StopRequest& stop, OutputSink& sink, const SuperviseLimits& limits,
                    const Clock& clock);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_SUPERVISE_H_
