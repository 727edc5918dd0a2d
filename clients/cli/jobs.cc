// benchwire jobs …
#include <benchwire/v1/job_service.pb.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "clients/cli/artifacts.h"
#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/explain.h"
#include "clients/cli/job_views.h"
#include "clients/cli/json.h"
#include "clients/cli/logs.h"
#include "clients/cli/names.h"
#include "clients/cli/series.h"
#include "clients/cli/units.h"
#include "clients/cli/wait.h"
#include "clients/cli/watch_view.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

using Text = std::optional<std::string>;

struct ListOptions {
  std::vector<std::string> states;
  Text limit;
};

// `running`, `RUNNING` and `JOB_STATE_RUNNING` are the same.
absl::StatusOr<v1::JobState> ParseState(const std::string& text) {
  static const std::string kPrefix = "JOB_STATE_";
  std::string name = text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  if (name.rfind(kPrefix, 0) != 0) name = kPrefix + name;
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  if (v1::JobState_Parse(name, &state) && state != v1::JOB_STATE_UNSPECIFIED) return state;
  std::string known;
  for (int value = v1::JobState_MIN + 1; value <= v1::JobState_MAX; ++value) {
    if (v1::JobState_IsValid(value)) known += (known.empty() ? "" : ", ") + StateText(static_cast<v1::JobState>(value));
  }
  return BadField("--state", text, "one of " + known);
}

absl::StatusOr<int> List(Session& session, const ListOptions& options) {
  static constexpr int64_t kDefaultLimit = 50;
  static constexpr int64_t kLargestPage = 1000;
  int64_t limit = kDefaultLimit;
  if (options.limit) {
    ASSIGN_OR_RETURN(limit, ParseInteger("--limit", *options.limit, 1, std::numeric_limits<int32_t>::max()));
  }
  v1::ListJobsRequest request;
  request.set_page_size(static_cast<int32_t>(std::min(limit, kLargestPage)));
  for (const std::string& text : options.states) {
    ASSIGN_OR_RETURN(const v1::JobState state, ParseState(text));
    request.add_states(state);
  }
  Table table = JobTable();
  absl::Status printed;
  RETURN_IF_ERROR(session.jobs().List(request, [&](const v1::Job& job) {
    if (session.json()) {
      printed = session.PrintJson(job);
    } else {
      AddJob(table, job, session.ServerNow());
    }
    return --limit > 0 && printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json() && table.empty() && session.out().terminal()) {
    session.Note("No jobs. `benchwire submit p2p --wait` makes one.");
  } else if (!session.json()) {
    session.Print(table);
  }
  return kExitOk;
}

absl::Status PrintMeasurements(Session& session, const v1::ListMeasurementsRequest& request) {
  Table table = MeasurementTable();
  absl::Status printed;
  RETURN_IF_ERROR(session.jobs().ListMeasurements(request, [&](const v1::Measurement& measurement) {
    if (session.json()) {
      printed = session.PrintJson(measurement);
    } else {
      AddMeasurement(table, measurement);
    }
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json()) session.Print(table);
  return absl::OkStatus();
}

v1::ListMeasurementsRequest MeasurementsOf(const std::string& parent) {
  static constexpr int32_t kPage = 200;
  v1::ListMeasurementsRequest request;
  request.set_parent(parent);
  request.set_page_size(kPage);
  return request;
}

absl::StatusOr<int> Show(Session& session, const std::string& text) {
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  ASSIGN_OR_RETURN(const v1::Job job, session.jobs().Get(name));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(job));
    return kExitOk;
  }
  PrintJob(session.out(), job, session.ServerNow());
  if (job.state() != v1::JOB_STATE_SUCCEEDED) return kExitOk;
  session.out().Line("\n" + session.out().Styled("Measurements", "1"));
  RETURN_IF_ERROR(PrintMeasurements(session, MeasurementsOf(name)));
  return kExitOk;
}

absl::StatusOr<int> SubmitFile(Session& session, const std::string& file, bool wait) {
  ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  v1::CreateJobRequest request;
  RETURN_IF_ERROR(FromJson(FileTitle(file), Normalised(content), UnknownFields::kRefuse, *request.mutable_job()));
  return SubmitJob(session, request, wait);
}

absl::StatusOr<int> Cancel(Session& session, const std::string& text, const std::string& reason) {
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  ASSIGN_OR_RETURN(const v1::Job job, session.jobs().Cancel(name, reason));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(job));
  } else {
    session.out().Line(name + (client::IsTerminal(job.state()) ? " " + StateText(job.state()) : " is being cancelled"));
  }
  return kExitOk;
}

absl::StatusOr<int> Retry(Session& session, const std::string& text, bool wait) {
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  ASSIGN_OR_RETURN(const v1::Job job, session.jobs().Retry(name));
  return ReportNewJob(session, job, wait);
}

absl::StatusOr<int> Measurements(Session& session, const std::string& text, const std::string& metric,
                                 const std::string& name) {
  ASSIGN_OR_RETURN(const std::string parent, NamesAttempt(text) ? AttemptArgument(text) : JobArgument(text));
  v1::ListMeasurementsRequest request = MeasurementsOf(parent);
  request.set_metric(metric);
  request.set_case_(name);
  RETURN_IF_ERROR(PrintMeasurements(session, request));
  return kExitOk;
}

// What the simple commands take.
struct JobArguments {
  std::string job;
  std::string text;
  std::string second_text;
  bool flag = false;
};

CLI::Option* AddJobArgument(CLI::App& command, JobArguments& options) {
  return command.add_option("job", options.job, "The job, `jobs/J` or J alone")->type_name("J");
}

void AddReading(CLI::App& group, CommandLine& line) {
  auto list = std::make_shared<ListOptions>();
  CLI::App* ls = AddCommand(group, "ls", "List jobs, newest first",
                            "  benchwire jobs ls\n  benchwire jobs ls --state running --state queued --limit 500\n"
                            "  benchwire jobs ls --json | jq -r .name");
  ls->add_option("--state", list->states, "Only jobs in this state, such as running; may be repeated")
      ->type_name("STATE")
      ->type_size(1)
      ->allow_extra_args(false);
  AddText(*ls, "--limit", list->limit, "At most so many (default 50)", "N");
  ls->callback([&line, list] { line.action = [list](Session& session) { return List(session, *list); }; });

  auto show = std::make_shared<JobArguments>();
  CLI::App* command = AddCommand(group, "show", "One job: state, attempts, hardware and what it measured",
                                 "  benchwire jobs show jobs/01kexq2v7m\n  benchwire jobs show 01kexq2v7m --json");
  AddJobArgument(*command, *show)->required();
  command->callback([&line, show] { line.action = [show](Session& session) { return Show(session, show->job); }; });

  auto explain = std::make_shared<JobArguments>();
  command = AddCommand(group, "explain", "Why a job waits: its place in the queue, and what keeps it from each worker",
                       "  benchwire jobs explain 01kexq2v7m\n"
                       "  benchwire jobs explain 01kexq2v7m --json | jq -r '.workers[] | .worker + \" \" + .reason'");
  AddJobArgument(*command, *explain)->required();
  command->callback(
      [&line, explain] { line.action = [explain](Session& session) { return ExplainJob(session, explain->job); }; });

  auto logs = std::make_shared<JobArguments>();
  command = AddCommand(group, "logs", "What the runner wrote, byte for byte",
                       "  benchwire jobs logs 01kexq2v7m\n  benchwire jobs logs -f 01kexq2v7m\n"
                       "  benchwire jobs logs jobs/01kexq2v7m/attempts/1");
  command->add_option("job", logs->job, "The job (its latest attempt) or `jobs/J/attempts/N`")
      ->required()
      ->type_name("J");
  command->add_flag("-f,--follow", logs->flag, "Go on until the job has ended");
  command->callback(
      [&line, logs] { line.action = [logs](Session& session) { return PrintLog(session, logs->job, logs->flag); }; });

  AddSeries(group, line);
  AddArtifacts(group, line);

  auto rows = std::make_shared<JobArguments>();
  command = AddCommand(group, "measurements", "The numbers of a job's latest succeeded attempt, or of one attempt",
                       "  benchwire jobs measurements 01kexq2v7m --metric bandwidth\n"
                       "  benchwire jobs measurements 01kexq2v7m | cut -f1,4,5");
  command->add_option("job", rows->job, "The job or `jobs/J/attempts/N`")->required()->type_name("J");
  command->add_option("--metric", rows->text, "Only this metric")->type_name("NAME");
  command->add_option("--case", rows->second_text, "Only this case")->type_name("NAME");
  command->callback([&line, rows] {
    line.action = [rows](Session& session) { return Measurements(session, rows->job, rows->text, rows->second_text); };
  });
}

void AddChanging(CLI::App& group, CommandLine& line) {
  auto submit = std::make_shared<JobArguments>();
  CLI::App* command =
      AddCommand(group, "submit", "Submit a job given as JSON",
                 "  echo '{\"p2p\": {\"backend\": \"P2P_BACKEND_HOST\"}}' | benchwire jobs submit -f - --wait");
  command->add_option("-f,--file", submit->text, "File with the JSON of a Job, `-` for standard input")
      ->required()
      ->type_name("FILE");
  command->add_flag("--wait", submit->flag, "Wait for the end; the exit status tells it");
  command->callback([&line, submit] {
    line.action = [submit](Session& session) { return SubmitFile(session, submit->text, submit->flag); };
  });

  auto cancel = std::make_shared<JobArguments>();
  command = AddCommand(group, "cancel", "Cancel a job", "  benchwire jobs cancel 01kexq2v7m --reason 'wrong machine'");
  AddJobArgument(*command, *cancel)->required();
  command->add_option("--reason", cancel->text, "Why, shown with the job")->type_name("TEXT");
  command->callback([&line, cancel] {
    line.action = [cancel](Session& session) { return Cancel(session, cancel->job, cancel->text); };
  });

  auto retry = std::make_shared<JobArguments>();
  command = AddCommand(group, "retry", "Submit a job that has ended once more, marked as its retry",
                       "  benchwire jobs retry 01kexq2v7m --wait");
  AddJobArgument(*command, *retry)->required();
  command->add_flag("--wait", retry->flag, "Wait for the end; the exit status tells it");
  command->callback(
      [&line, retry] { line.action = [retry](Session& session) { return Retry(session, retry->job, retry->flag); }; });

  auto watch = std::make_shared<JobArguments>();
  command = AddCommand(group, "watch", "Print what happens: to one job until it has ended, or to all from now on",
                       "  benchwire jobs watch 01kexq2v7m\n  benchwire jobs watch --json");
  AddJobArgument(*command, *watch);
  command->callback([&line, watch] {
    line.action = [watch](Session& session) {
      return watch->job.empty() ? WatchAllJobs(session) : WatchJob(session, watch->job);
    };
  });
}

}  // namespace

void AddJobs(CLI::App& root, CommandLine& line) {
  CLI::App* group = AddGroup(root, "jobs", "Submit, look at, follow, cancel and retry jobs");
  AddReading(*group, line);
  AddChanging(*group, line);
}

}  // namespace benchwire::cli
