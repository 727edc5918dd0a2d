// How an attempt ended, from what happened to its runner. Pure. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_OUTCOME_H_
#define BENCHWIRE_WORKERS_AGENT_OUTCOME_H_

#include <optional>
#include <string>

#include "benchwire/v1/agent_service.pb.h"
#include "workers/agent/child_process.h"
#include "workers/agent/stop_request.h"
#include "workers/agent/supervise.h"

namespace benchwire::agent {

inline constexpr int kExitTryAgain = 75;  // EX_TEMPFAIL of sysexits.h
inline constexpr int kExitBadSpec = 64;   // EX_USAGE

struct Outcome {
  v1::AttemptOutcome outcome = v1::ATTEMPT_OUTCOME_FAILED;
  std::string code;
  std::string message;
  // The runner's exit status, where it exited by itself.
  std::optional<int> exit_code;
};

// `cause` is why the runner was stopped, `error` the runner's own error event. A result counts only after exit 0. A bad
// event decides before everything but a stop that came first. A runner that was asked to stop because the agent stops
// or was cut off, and yet completed its result, has succeeded.
Outcome DecideOutcome(const RunnerEnd& end, StopCause cause, bool has_result,
                      const std::optional<v1::RunnerMessage>& error);

// `SIGSEGV` for 11; `signal 40` for what has no name.
std::string SignalName(int signal);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_OUTCOME_H_
