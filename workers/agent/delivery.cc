#include "workers/agent/delivery.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>

#include "server/base/log.h"
#include "server/base/status.h"
#include "workers/agent/safe_text.h"
#include "workers/agent/timing.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxRefusal = 1024;
constexpr milliseconds kPollSlice{50};

}  // namespace

bool IsFinal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kFailedPrecondition:
      return true;
    default:
      return false;
  }
}

bool Delivery::Run(v1::CompleteAttemptRequest request) {
  const std::string attempt = request.fence().attempt();
  request.set_last_sequence(outbox_.last_sequence());
  for (int failures = 0; !given_up_();) {
    // Not all acknowledged in that time: the server says what it lacks.
    WaitAcknowledged();
    if (given_up_()) break;
    request.set_session(session_.Wait(milliseconds(0)));
    const auto response = api_.CompleteAttempt(request, options_.call_timeout);
    if (response.ok()) {
      spdlog::info("attempt completed attempt={} outcome={} reason={} message=\"{}\" job_state={}", attempt,
                   v1::AttemptOutcome_Name(request.outcome()), request.reason().code(),
                   LogSafe(request.reason().message()), v1::JobState_Name(response->job_state()));
      return true;
    }
    const Answer answer = OnRefused(response.status(), &request);
    if (answer == Answer::kDone) return true;
    if (answer == Answer::kAgainNow) continue;
    Pause(FullJitter(failures++, options_.backoff_base, options_.backoff_cap, random_));
  }
  spdlog::warn("attempt not completed attempt={} outcome={} reason=WORKER_STOPPED", attempt,
               v1::AttemptOutcome_Name(request.outcome()));
  return false;
}

Delivery::Answer Delivery::OnRefused(const absl::Status& status, v1::CompleteAttemptRequest* request) {
  const std::string reason = ErrorReason(status);
  spdlog::warn("completion refused attempt={} code={} reason={} message=\"{}\"", request->fence().attempt(),
               absl::StatusCodeToString(status.code()), reason, LogSafe(std::string(status.message())));
  if (reason == "STALE_LEASE") return Answer::kDone;
  if (reason == "MISSING_REPORTS") return OnMissingReports(status, request);
  if (absl::IsInvalidArgument(status) && request->outcome() == v1::ATTEMPT_OUTCOME_SUCCEEDED) {
    request->set_outcome(v1::ATTEMPT_OUTCOME_FAILED);
    request->clear_result();
    request->mutable_reason()->set_code("BAD_RESULT");
    request->mutable_reason()->set_message(SafeText(std::string(status.message()), kMaxRefusal));
    return Answer::kAgainNow;
  }
  if (absl::IsInvalidArgument(status) && !(request->environment().empty() && request->warnings().empty())) {
    // Whatever the server cannot store must not keep the job from ending.
    request->clear_environment();
    request->clear_warnings();
    return Answer::kAgainNow;
  }
  return IsFinal(status) && reason != "STALE_SESSION" ? Answer::kDone : Answer::kAgain;
}

Delivery::Answer Delivery::OnMissingReports(const absl::Status& status, v1::CompleteAttemptRequest* request) {
  const std::string text = ErrorMetadata(status, "next_sequence").value_or("");
  int64_t next = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), next);
  const bool known = error == std::errc() && end == text.data() + text.size() && next > 0;
  if (!known || next > request->last_sequence() || outbox_.Rewind(next)) return Answer::kAgain;
  // The server lost what it had acknowledged. The attempt must not look complete.
  request->set_outcome(v1::ATTEMPT_OUTCOME_FAILED);
  request->clear_result();
  request->mutable_reason()->set_code("REPORTS_LOST");
  request->mutable_reason()->set_message("the server no longer has batch " + text + ", which it had acknowledged");
  request->set_last_sequence(next - 1);
  return Answer::kAgainNow;
}

void Delivery::Pause(milliseconds delay) {
  for (; delay > milliseconds(0) && !given_up_(); delay -= kPollSlice)
    std::this_thread::sleep_for(std::min(delay, kPollSlice));
}

void Delivery::WaitAcknowledged() {
  for (milliseconds waited{0}; waited < options_.acknowledge_wait; waited += kPollSlice) {
    if (outbox_.WaitAcknowledged(kPollSlice) || lost_.IsSet() || given_up_()) return;
  }
}

}  // namespace benchwire::agent
