#include "clients/cli/logs.h"

#include <benchwire/v1/job.pb.h>

#include <chrono>

#include "clients/cli/exit_codes.h"
#include "clients/cli/names.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

absl::Status ReadAll(Session& session, const std::string& attempt) {
  for (int64_t offset = 0;;) {
    ASSIGN_OR_RETURN(const v1::LogChunk chunk, session.jobs().ReadLog(attempt, offset));
    if (!chunk.data().empty() && !session.out().Write(chunk.data())) return absl::OkStatus();
    if (chunk.end() || chunk.data().empty() || chunk.next_offset() <= offset) return absl::OkStatus();
    offset = chunk.next_offset();
  }
}

absl::Status Follow(Session& session, const std::string& attempt) {
  return session.jobs().WatchLog(attempt, 0, [&](const std::string& bytes) { return session.out().Write(bytes); });
}

// Follows one attempt after the other until the job has ended.
absl::Status FollowJob(Session& session, const std::string& job) {
  static constexpr std::chrono::milliseconds kInterval{500};
  ASSIGN_OR_RETURN(v1::Job now, session.jobs().Get(job));
  int printed = 0;
  while (session.out().ok()) {
    if (now.attempts_size() > printed) {
      // The attempts that came and went unseen are printed too.
      const v1::Attempt& attempt = now.attempts(printed++);
      if (printed > 1) session.Note("Attempt " + LastSegment(attempt.name()) + " on " + attempt.worker());
      RETURN_IF_ERROR(Follow(session, attempt.name()));
    } else if (client::IsTerminal(now.state())) {
      return absl::OkStatus();
    } else if (session.connection().cancel().WaitFor(kInterval)) {
      return absl::CancelledError("interrupted");
    }
    ASSIGN_OR_RETURN(now, session.jobs().GetThroughOutage(job, nullptr));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LatestAttempt(Session& session, const std::string& job) {
  ASSIGN_OR_RETURN(const v1::Job now, session.jobs().Get(job));
  if (now.attempts().empty()) {
    return absl::FailedPreconditionError(job + " has not started, so there is nothing yet; -f waits for it");
  }
  return now.attempts(now.attempts_size() - 1).name();
}

absl::StatusOr<std::string> ChosenAttempt(Session& session, const std::string& job,
                                          const std::optional<std::string>& number) {
  static constexpr int64_t kMostAttempts = 1'000'000'000;
  if (NamesAttempt(job)) {
    if (number) return BadField("--attempt", *number, "left out where J already names the attempt");
    return AttemptArgument(job);
  }
  ASSIGN_OR_RETURN(const std::string name, JobArgument(job));
  if (!number) return LatestAttempt(session, name);
  ASSIGN_OR_RETURN(const int64_t parsed, ParseInteger("--attempt", *number, 1, kMostAttempts));
  return name + "/attempts/" + std::to_string(parsed);
}

absl::StatusOr<int> PrintLog(Session& session, const std::string& job_or_attempt, bool follow) {
  if (session.json()) return absl::InvalidArgumentError("--json: a log is written byte for byte; leave --json out");
  const bool one = NamesAttempt(job_or_attempt);
  ASSIGN_OR_RETURN(std::string name, one ? AttemptArgument(job_or_attempt) : JobArgument(job_or_attempt));
  if (!follow) {
    if (!one) {
      ASSIGN_OR_RETURN(name, LatestAttempt(session, name));
    }
    RETURN_IF_ERROR(ReadAll(session, name));
    return kExitOk;
  }
  const Signals::Watch watch(session.signals(), session.connection().cancel());
  RETURN_IF_ERROR(one ? Follow(session, name) : FollowJob(session, name));
  return kExitOk;
}

}  // namespace benchwire::cli
