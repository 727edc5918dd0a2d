#include "clients/cli/wait.h"

#include <algorithm>
#include <cmath>

#include "clients/cli/exit_codes.h"
#include "clients/cli/job_views.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

std::string EndText(const v1::Job& job) {
  std::string out = job.name() + " " + StateText(job.state());
  if (job.has_start_time() && job.has_end_time()) {
    out += " after " + Span(FromProto(job.end_time()) - FromProto(job.start_time()));
  }
  if (job.has_reason()) out += ": " + ReasonText(job.reason());
  return out;
}

}  // namespace

std::string ProgressText(const v1::Job& job) {
  static constexpr int kBar = 20;
  std::string out = StateText(job.state());
  if (job.cancel_requested()) out += ", being cancelled";
  if (!job.has_progress() || job.state() != v1::JOB_STATE_RUNNING) {
    if (job.has_reason()) out += "  " + ReasonText(job.reason());
    return out;
  }
  const double fraction =
      std::isfinite(job.progress().fraction()) ? std::clamp(job.progress().fraction(), 0.0, 1.0) : 0;
  const int done = static_cast<int>(fraction * kBar);
  const std::string percent = std::to_string(static_cast<int>(fraction * 100));
  out += "  [" + std::string(static_cast<size_t>(done), '#') + std::string(static_cast<size_t>(kBar - done), '-') +
         "] " + PadTo(percent, 3, true) + " %";
  if (!job.progress().message().empty()) out += "  " + job.progress().message();
  if (job.progress().has_remaining()) out += "  " + Span(FromProto(job.progress().remaining())) + " left";
  return out;
}

ProgressLine::ProgressLine(Output& output) : output_(output), live_(output.rewritable()) {}

ProgressLine::~ProgressLine() {
  if (live_ && shown_) output_.Write("\r\x1b[K");
}

void ProgressLine::Show(const std::string& text, const std::string& key) {
  if (live_) {
    output_.Write("\r" + CutToWidth(OneLine(text), output_.width() - 1) + "\x1b[K");
  } else if (!shown_ || key != key_) {
    output_.Line(OneLine(text));
  }
  shown_ = true;
  key_ = key;
}

int ExitCodeOf(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_SUCCEEDED:
      return kExitOk;
    case v1::JOB_STATE_CANCELLED:
      return kExitJobCancelled;
    default:
      return kExitJobFailed;
  }
}

absl::StatusOr<int> WaitForEnd(Session& session, const std::string& job) {
  absl::StatusOr<v1::Job> end = absl::UnknownError("not waited");
  {
    const Signals::Watch watch(session.signals(), session.connection().cancel());
    ProgressLine line(session.err());
    client::WaitOptions options;
    options.on_progress = [&](const v1::Job& now) {
      if (!client::IsTerminal(now.state())) {
        line.Show(ProgressText(now), StateText(now.state()) + now.progress().message());
      }
    };
    options.on_outage = [&](const absl::Status& status) {
      line.Show("server not reached, asking again: " + std::string(status.message()), "outage");
    };
    end = session.jobs().Wait(job, options);
  }
  if (absl::IsCancelled(end.status()) && session.signals().reader_gone()) return kExitBrokenPipe;
  if (absl::IsCancelled(end.status())) {
    session.Note("Interrupted. " + job + " goes on; look at it with `benchwire jobs watch " + job +
                 "`, end it with `benchwire jobs cancel " + job + "`.");
    return kExitInterrupted;
  }
  RETURN_IF_ERROR(end.status());
  session.Note(EndText(*end));
  if (session.json()) RETURN_IF_ERROR(session.PrintJson(*end));
  return ExitCodeOf(end->state());
}

absl::StatusOr<int> ReportNewJob(Session& session, const v1::Job& job, bool wait) {
  if (!session.json()) {
    session.out().Line(job.name());
  } else if (!wait) {  // Else one object only: the job at its end.
    RETURN_IF_ERROR(session.PrintJson(job));
  }
  if (wait) return WaitForEnd(session, job.name());
  if (session.out().terminal()) session.Note("Follow it with `benchwire jobs watch " + job.name() + "`.");
  return kExitOk;
}

absl::StatusOr<int> SubmitJob(Session& session, const v1::CreateJobRequest& request, bool wait) {
  ASSIGN_OR_RETURN(const v1::Job job, session.jobs().Create(request));
  return ReportNewJob(session, job, wait);
}

}  // namespace benchwire::cli
