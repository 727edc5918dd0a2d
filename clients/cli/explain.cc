#include "clients/cli/explain.h"

#include <benchwire/v1/job_service.pb.h>

#include "clients/cli/exit_codes.h"
#include "clients/cli/facts.h"
#include "clients/cli/job_views.h"
#include "clients/cli/names.h"
#include "clients/cli/table.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

std::string PlaceText(const v1::JobExplanation& explanation) {
  if (explanation.queue_place() == 0) return "";
  return std::to_string(explanation.queue_place()) + " of " + std::to_string(explanation.queue_length());
}

// `in 5 min 30 s, 2026-01-14T09:00:00Z`.
std::string StartText(const v1::JobExplanation& explanation, WallTime server_now) {
  if (!explanation.has_expected_start_time()) return "";
  const WallTime start = FromProto(explanation.expected_start_time());
  return "in " + Span(start - server_now) + " at the latest, " + Rfc3339(start);
}

void Print(Output& out, const v1::JobExplanation& explanation, WallTime server_now) {
  PrintFacts(out,
             {{"job", explanation.job()},
              {"state", StateText(explanation.state())},
              {"summary", explanation.summary()},
              {"place in queue", PlaceText(explanation)},
              {"priority now", explanation.queue_place() > 0 ? std::to_string(explanation.effective_priority()) : ""},
              {"expected start", StartText(explanation, server_now)}});
  if (explanation.workers().empty()) return;
  PrintHeading(out, "Workers");
  Table table({{"WORKER"}, {"REASON", false, true}});
  for (const v1::WorkerExplanation& worker : explanation.workers()) {
    table.Add({Cell(LastSegment(worker.worker()), worker.worker()), worker.reason()});
  }
  out.Write(table.Render(out.width()));
  if (explanation.more_workers() > 0) {
    out.Line("and " + std::to_string(explanation.more_workers()) + " more workers");
  }
}

}  // namespace

absl::StatusOr<int> ExplainJob(Session& session, const std::string& text) {
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  ASSIGN_OR_RETURN(const v1::JobExplanation explanation, session.jobs().Explain(name));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(explanation));
  } else {
    Print(session.out(), explanation, session.ServerNow());
  }
  return kExitOk;
}

}  // namespace benchwire::cli
