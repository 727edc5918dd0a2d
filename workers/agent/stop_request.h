// A request to stop a runner, from any thread to the one that supervises it in poll(2). The first cause stands, except
// that a lost lease overrides all: nothing may be reported then.
#ifndef BENCHWIRE_WORKERS_AGENT_STOP_REQUEST_H_
#define BENCHWIRE_WORKERS_AGENT_STOP_REQUEST_H_

#include "server/base/mutex.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {

enum class StopCause {
  kNone,
  kTimeout,
  kCancel,
  kBadEvent,
  kAgentStops,
  // Self-fencing: the server was silent for too long.
  kServerSilent,
  // The keeper stopped the runner: the agent itself had stood still for too long.
  kAgentStalled,
  kLost,
};

class StopRequest {
 public:
  StopRequest();

  void Request(StopCause cause);
  StopCause cause() const;
  // Makes fd() readable without a request, so that the supervisor looks at its conditions again.
  void Wake();
  // Readable after Request or Wake, until Clear.
  int fd() const { return event_.get(); }
  void Clear();

 private:
  FileDescriptor event_;
  mutable Mutex mutex_;
  StopCause cause_ GUARDED_BY(mutex_) = StopCause::kNone;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_STOP_REQUEST_H_
