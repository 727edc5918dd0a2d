#include "workers/agent/running_attempt.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "server/base/log.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "workers/agent/attempt_directory.h"
#include "workers/agent/delivery.h"
#include "workers/agent/report_stream.h"
#include "workers/agent/runner_environment.h"
#include "workers/agent/safe_text.h"
#include "workers/agent/supervise.h"
#include "workers/agent/timing.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxReason = 1024;

RunnerEnd NeverRan() {
  RunnerEnd end;
  end.exit.kind = ChildExit::Kind::kNotStarted;
  return end;
}

Outcome Released(const std::string& code, const std::string& message) {
  return {v1::ATTEMPT_OUTCOME_RELEASED, code, message, std::nullopt};
}

}  // namespace

RunningAttempt::RunningAttempt(const AttemptContext& context, v1::Lease lease)
    : context_(context),
      lease_(std::move(lease)),
      outbox_(context.options.outbox, context.clock, [this] { stop_.Wake(); }) {}

void RunningAttempt::Abandon() { abandoned_.Set(); }

void RunningAttempt::Run() {
  const auto runner = context_.catalog.find(lease_.kind());
  if (runner == context_.catalog.end()) {
    Complete(MakeCompletion(
        Released("KIND_NOT_OFFERED", "this worker has no runner of kind " + SafeText(lease_.kind(), 64))));
    return;
  }
  if (!Begin()) return;
  // The fence fell before there was a runner that it could stop.
  if (!context_.session.alive()) stop_.Request(StopCause::kServerSilent);
  RunRunner(runner->second);
}

bool RunningAttempt::cut_off() const {
  return stop_.cause() == StopCause::kServerSilent || stop_.cause() == StopCause::kLost;
}

bool RunningAttempt::Begin() {
  v1::StartAttemptRequest request;
  *request.mutable_fence() = lease_.fence();
  for (int failures = 0; !abandoned_.IsSet() && stop_.cause() == StopCause::kNone; ++failures) {
    const std::string session = context_.session.Wait(milliseconds(200));
    if (session.empty()) continue;
    request.set_session(session);
    const auto response = context_.api.StartAttempt(request, context_.options.call_timeout);
    if (response.ok()) return true;
    const std::string reason = ErrorReason(response.status());
    spdlog::warn("attempt not started attempt={} reason={} message=\"{}\"", name(), reason,
                 LogSafe(std::string(response.status().message())));
    if (reason == "STALE_LEASE") return false;
    if (reason == "CANCELLED") {
      stop_.Request(StopCause::kCancel);
      break;
    }
    if (reason == "STALE_SESSION") {
      context_.session.MarkStale(session);
    } else if (IsFinal(response.status())) {
      Complete(
          MakeCompletion(Released("START_REFUSED", SafeText(std::string(response.status().message()), kMaxReason))));
      return false;
    }
    Pause(FullJitter(failures, context_.options.backoff_base, context_.options.backoff_cap, context_.random));
  }
  if (stop_.cause() != StopCause::kNone && stop_.cause() != StopCause::kLost) {
    Complete(MakeCompletion(DecideOutcome(NeverRan(), stop_.cause(), false, std::nullopt)));
  }
  return false;
}

void RunningAttempt::RunRunner(const OfferedRunner& runner) {
  RunnerReport report(lease_.kind(), context_.environment, context_.options.log_head, context_.options.log_tail,
                      outbox_);
  const ReportStream stream(context_.options, context_.api, context_.session, context_.random, lease_.fence(), outbox_,
                            {[this] { stop_.Request(StopCause::kCancel); },
                             [this] {
                               lost_.Set();
                               stop_.Request(StopCause::kLost);
                             }});
  absl::Status spawn_error;
  const RunnerEnd end = RunChild(runner, report, &spawn_error);
  const StopCause cause = stop_.cause();
  if (cause == StopCause::kLost && !end.by_itself) {
    spdlog::warn("attempt dropped attempt={} reason=LEASE_LOST", name());
    return;
  }
  Outcome outcome = DecideOutcome(end, cause, report.result().has_value(), report.error());
  if (!spawn_error.ok()) {
    outcome = {v1::ATTEMPT_OUTCOME_FAILED, "SPAWN_FAILED", std::string(spawn_error.message()), std::nullopt};
  }
  if (end.exit.survivors) spdlog::warn("processes of the runner could not be killed attempt={}", name());
  v1::CompleteAttemptRequest request = MakeCompletion(outcome);
  if (outcome.outcome == v1::ATTEMPT_OUTCOME_SUCCEEDED) *request.mutable_result() = *report.result();
  request.clear_environment();
  request.mutable_environment()->insert(report.environment().begin(), report.environment().end());
  for (v1::RunnerMessage& warning : report.Warnings()) *request.add_warnings() = std::move(warning);
  request.set_runner_version(runner.description.version());
  request.set_log_truncated(report.log_truncated());
  Complete(std::move(request));
}

// The private directory lasts as long as the child.
RunnerEnd RunningAttempt::RunChild(const OfferedRunner& runner, RunnerReport& report, absl::Status* spawn_error) {
  RunnerEnd end = NeverRan();
  // A stop that came while StartAttempt was answered.
  if (stop_.cause() != StopCause::kNone) return end;
  std::string directory_name = name() + "-" + Hex(context_.random.Bytes(4));
  std::replace(directory_name.begin(), directory_name.end(), '/', '-');
  const auto directory = AttemptDirectory::Create(context_.options.work_dir, directory_name, lease_.spec_json());
  if (!directory.ok()) {
    *spawn_error = directory.status();
    return end;
  }
  ChildSpec spec;
  spec.keeper = context_.options.keeper;
  spec.program = runner.path;
  spec.environment = RunnerEnvironment(lease_, (*directory)->spec(), (*directory)->work());
  spec.environment.insert(spec.environment.end(), runner.environment.begin(), runner.environment.end());
  spec.directory = (*directory)->work();
  report.SetDirectory((*directory)->work());
  spec.silence = context_.session.stop_time();
  const auto child = ChildProcess::Start(spec);
  if (!child.ok()) {
    *spawn_error = child.status();
    return end;
  }
  spdlog::info("runner started attempt={} kind={} seed={} devices={}", name(), lease_.kind(), lease_.seed(),
               lease_.devices_size());
  const SuperviseLimits limits{FromProto(lease_.timeout()), std::min(context_.options.kill_delay, spec.silence),
                               spec.silence / 4};
  end = Supervise(**child, stop_, report, limits, context_.clock);
  const absl::Status rest = report.End(end.exit.kind == ChildExit::Kind::kExited && end.exit.code == 0);
  if (end.bad_event.ok()) end.bad_event = rest;
  return end;
}

v1::CompleteAttemptRequest RunningAttempt::MakeCompletion(const Outcome& outcome) const {
  v1::CompleteAttemptRequest request;
  *request.mutable_fence() = lease_.fence();
  request.set_outcome(outcome.outcome);
  if (!outcome.code.empty()) {
    request.mutable_reason()->set_code(outcome.code);
    request.mutable_reason()->set_message(outcome.message);
  }
  if (outcome.exit_code) request.set_exit_code(*outcome.exit_code);
  request.mutable_environment()->insert(context_.environment.begin(), context_.environment.end());
  return request;
}

void RunningAttempt::Complete(v1::CompleteAttemptRequest request) {
  outbox_.Finish();
  request.set_last_sequence(outbox_.last_sequence());
  // A released attempt runs again whether the server hears of it or not.
  if (request.outcome() != v1::ATTEMPT_OUTCOME_RELEASED) {
    const absl::Status kept = context_.spool.Keep({context_.session.incarnation(), request, outbox_.Unacknowledged()});
    if (!kept.ok()) {
      spdlog::error("attempt not kept, lost where this worker ends before the server has it attempt={} message=\"{}\"",
                    name(), LogSafe(std::string(kept.message())));
    }
  }
  Delivery delivery(context_.options, context_.api, context_.session, context_.random, outbox_, lost_,
                    [this] { return abandoned_.IsSet(); });
  if (delivery.Run(std::move(request))) context_.spool.Remove(name());
}

void RunningAttempt::Pause(milliseconds delay) {
  static constexpr milliseconds kSlice{100};
  while (delay > milliseconds(0) && !abandoned_.WaitFor(std::min(delay, kSlice))) {
    if (stop_.cause() != StopCause::kNone) return;
    delay -= std::min(delay, kSlice);
  }
}

}  // namespace benchwire::agent
