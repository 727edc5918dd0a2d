#include "clients/cli/watch_view.h"

#include <benchwire/v1/event_service.pb.h>
#include <benchwire/v1/job.pb.h>

#include "clients/cli/exit_codes.h"
#include "clients/cli/names.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "clients/cli/wait.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

// `JOB_STATE_RUNNING` and `ATTEMPT_STATE_RUNNING` as `RUNNING`.
std::string BareState(const std::string& state) {
  const size_t at = state.find("_STATE_");
  return at == std::string::npos ? state : state.substr(at + 7);
}

absl::Status PrintEvent(Session& session, const v1::Event& event) {
  static constexpr size_t kTypePrefix = sizeof("EVENT_TYPE_") - 1;
  if (session.json()) return session.PrintJson(event);
  const std::string type = v1::EventType_Name(event.type());
  const std::string separator = session.out().terminal() ? "  " : "\t";
  session.out().Line(Rfc3339(FromProto(event.time())) + separator + OneLine(event.resource()) + separator +
                     (type.size() > kTypePrefix ? type.substr(kTypePrefix) : type) + separator +
                     OneLine(BareState(event.state())));
  return absl::OkStatus();
}

// The state of a job event, or UNSPECIFIED.
v1::JobState StateOf(const v1::Event& event) {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  v1::JobState_Parse(event.state(), &state);
  return state;
}

}  // namespace

absl::StatusOr<int> WatchJob(Session& session, const std::string& text) {
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  // Known before a stream is opened that would be silent for ever.
  ASSIGN_OR_RETURN(const v1::Job job, session.jobs().Get(name));
  const Signals::Watch watch(session.signals(), session.connection().cancel());
  v1::JobState end = v1::JOB_STATE_UNSPECIFIED;
  absl::Status printed;
  const absl::Status status = session.events().Watch(0, name, [&](const v1::Event& event) {
    const bool own = event.resource() == name;
    if (!own && event.resource().rfind(name + "/", 0) != 0) return true;  // Another job whose id starts the same.
    printed = PrintEvent(session, event);
    if (own && client::IsTerminal(StateOf(event))) end = StateOf(event);
    return printed.ok() && session.out().ok() && end == v1::JOB_STATE_UNSPECIFIED;
  });
  if (absl::IsCancelled(status) && !session.signals().reader_gone()) {
    session.Note("Interrupted. " + name + " is not touched by that.");
  }
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(printed);
  return end == v1::JOB_STATE_UNSPECIFIED ? kExitOk : ExitCodeOf(end);
}

absl::StatusOr<int> WatchAllJobs(Session& session) {
  const Signals::Watch watch(session.signals(), session.connection().cancel());
  absl::Status printed;
  RETURN_IF_ERROR(session.events().Watch(std::nullopt, "jobs/", [&](const v1::Event& event) {
    printed = PrintEvent(session, event);
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  return kExitOk;
}

}  // namespace benchwire::cli
