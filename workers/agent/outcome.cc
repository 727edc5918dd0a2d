#include "workers/agent/outcome.h"

#include <cstring>

namespace benchwire::agent {
namespace {

using Kind = ChildExit::Kind;

Outcome Make(v1::AttemptOutcome outcome, const std::string& code, const std::string& message) {
  return {outcome, code, message, std::nullopt};
}

// What the exit itself says, nothing having stopped the runner.
Outcome FromExit(const ChildExit& exit, bool has_result) {
  switch (exit.kind) {
    case Kind::kNotStarted:
      return Make(v1::ATTEMPT_OUTCOME_FAILED, "SPAWN_FAILED",
                  std::string("the runner could not be started: ") + std::strerror(exit.code));
    case Kind::kSignalled:
      return Make(v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_CRASHED", "the runner was ended by " + SignalName(exit.code));
    case Kind::kKeeperLost:
      return Make(
          v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_CRASHED",
          "the process that watches the runner was ended" + (exit.code > 0 ? " by " + SignalName(exit.code) : ""));
    case Kind::kExited:
      break;
  }
  if (exit.code == 0) {
    if (has_result) return Make(v1::ATTEMPT_OUTCOME_SUCCEEDED, "", "");
    return Make(v1::ATTEMPT_OUTCOME_FAILED, "NO_RESULT", "the runner exited with 0 without a result event");
  }
  if (exit.code == kExitTryAgain) {
    return Make(v1::ATTEMPT_OUTCOME_TRY_AGAIN, "TRY_AGAIN", "the runner exited with 75: try again");
  }
  if (exit.code == kExitBadSpec) {
    return Make(v1::ATTEMPT_OUTCOME_BAD_SPEC, "BAD_SPEC", "the runner exited with 64: it does not take this spec");
  }
  return Make(v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_FAILED", "the runner exited with " + std::to_string(exit.code));
}

std::optional<Outcome> FromStop(StopCause cause) {
  switch (cause) {
    case StopCause::kTimeout:
      return Make(v1::ATTEMPT_OUTCOME_TIMED_OUT, "TIMED_OUT", "the runner was stopped at the job's timeout");
    case StopCause::kCancel:
      return Make(v1::ATTEMPT_OUTCOME_CANCELLED, "CANCELLED", "the runner was stopped because the job was cancelled");
    case StopCause::kAgentStops:
      return Make(v1::ATTEMPT_OUTCOME_RELEASED, "WORKER_STOPPED", "the worker stopped");
    case StopCause::kServerSilent:
      return Make(v1::ATTEMPT_OUTCOME_RELEASED, "SERVER_SILENT",
                  "the worker had not heard from the server and stopped the runner before its lease could end");
    case StopCause::kAgentStalled:
      return Make(v1::ATTEMPT_OUTCOME_RELEASED, "WORKER_STALLED",
                  "the worker stood still for so long that its runner was stopped before the lease could end");
    case StopCause::kLost:
      return Make(v1::ATTEMPT_OUTCOME_RELEASED, "LEASE_LOST", "the lease was lost");
    case StopCause::kNone:
    case StopCause::kBadEvent:
      break;
  }
  return std::nullopt;
}

}  // namespace

Outcome DecideOutcome(const RunnerEnd& end, StopCause cause, bool has_result,
                      const std::optional<v1::RunnerMessage>& error) {
  const bool exited = end.exit.kind == Kind::kExited;
  Outcome exit = FromExit(end.exit, has_result);
  Outcome out = exit;
  const auto stopped = FromStop(cause);
  const bool gives_back = cause == StopCause::kAgentStops || cause == StopCause::kServerSilent;
  const bool keeps_result = gives_back && exit.outcome == v1::ATTEMPT_OUTCOME_SUCCEEDED && end.bad_event.ok();
  if (stopped && !end.by_itself && !keeps_result) {
    out = *stopped;
  } else if (!end.bad_event.ok()) {
    out = Make(v1::ATTEMPT_OUTCOME_FAILED, "BAD_EVENT", std::string(end.bad_event.message()));
  } else if (error && exit.outcome != v1::ATTEMPT_OUTCOME_SUCCEEDED) {
    out.code = error->code();
    out.message = error->message();
  }
  if (exited && (end.by_itself || keeps_result)) out.exit_code = end.exit.code;
  return out;
}

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace benchwire::agent
