// benchwire rerun: the stored spec and seed of a job once more, by the server or by the runner on this machine.
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "clients/cli/child.h"
#include "clients/cli/commands.h"
#include "clients/cli/job_file.h"
#include "clients/cli/json.h"
#include "clients/cli/names.h"
#include "clients/cli/runners.h"
#include "clients/cli/temp_file.h"
#include "clients/cli/wait.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

struct RerunOptions {
  std::string job;
  bool here = false;
  bool wait = false;
  bool fail_on_verdict = false;
  std::string runners;
  std::vector<std::string> runner_arguments;
};

bool IsFile(const std::string& path) {
  struct stat info {};
  return path == "-" || (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode));
}

bool LooksLikePath(const std::string& text) { return text.ends_with(".json") || text[0] == '.' || text[0] == '/'; }

// A file where there is one of that name, else a job of the server.
absl::StatusOr<v1::Job> LoadJob(Session& session, const std::string& text) {
  if (text.empty()) return BadField("job", text, "a job or a file");
  if (IsFile(text) || LooksLikePath(text)) {
    ASSIGN_OR_RETURN(const std::string content, ReadFile(text));
    return ParseJobFile(FileTitle(text), content);
  }
  ASSIGN_OR_RETURN(const std::string name, JobArgument(text));
  return session.jobs().Get(name);
}

absl::StatusOr<int> RunHere(Session& session, const RerunOptions& options) {
  ASSIGN_OR_RETURN(const v1::Job job, LoadJob(session, options.job));
  ASSIGN_OR_RETURN(const RunnerInput input, InputOf(job));
  ASSIGN_OR_RETURN(const std::string runner, FindRunner(input.kind, RunnerDirectories(options.runners)));
  if (!input.digest_matches) {
    session.Note("warning: SPEC_DIGEST: the spec is not byte for byte the one whose digest the job states");
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<TempFile> spec, TempFile::Create("benchwire-spec-", ".json", input.spec_json));
  std::vector<std::string> argv = {runner};
  if (session.json()) argv.push_back("--json");
  if (options.fail_on_verdict) argv.push_back("--fail-on-verdict");
  argv.insert(argv.end(), options.runner_arguments.begin(), options.runner_arguments.end());
  if (session.err().terminal()) {
    session.Note("Running " + (job.name().empty() ? options.job : job.name()) + " with " + runner + ", seed " +
                 std::to_string(input.seed));
  }
  return RunInForeground(session.signals(), argv,
                         {{"BENCHWIRE_SPEC", spec->path()}, {"BENCHWIRE_SEED", std::to_string(input.seed)}});
}

absl::StatusOr<int> RunAgain(Session& session, const RerunOptions& options) {
  if (options.fail_on_verdict || !options.runners.empty() || !options.runner_arguments.empty()) {
    return absl::InvalidArgumentError("--runners, --fail-on-verdict and arguments of a runner need --here");
  }
  ASSIGN_OR_RETURN(const std::string name, JobArgument(options.job));
  ASSIGN_OR_RETURN(const v1::Job old, session.jobs().Get(name));
  v1::CreateJobRequest request;
  v1::Job& job = *request.mutable_job();
  if (old.spec_case() == v1::Job::SPEC_NOT_SET) {
    return absl::InvalidArgumentError(name + " has no spec of a kind this program knows");
  }
  job = old;
  // What the caller may set stays; what only the server may is cleared, so that fields added later are too.
  static const std::vector<std::string> kSettable = {"display_name", "labels",  "seed",        "requirements",
                                                     "priority",     "timeout", "max_attempts"};
  const auto* descriptor = v1::Job::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    const bool settable = std::find(kSettable.begin(), kSettable.end(), field->name()) != kSettable.end();
    const bool spec = field->real_containing_oneof() != nullptr;
    if (!settable && !spec) job.GetReflection()->ClearField(&job, field);
  }
  return SubmitJob(session, request, options.wait);
}

}  // namespace

void AddRerun(CLI::App& root, CommandLine& line) {
  CLI::App* command =
      AddCommand(root, "rerun", "Run a job's stored spec and seed once more, on the server's workers or --here",
                 "  benchwire rerun jobs/01kexq2v7m --wait\n"
                 "  benchwire rerun --here jobs/01kexq2v7m\n"
                 "  curl -s http://127.0.0.1:7480/v1/jobs/01kexq2v7m > job.json && benchwire rerun --here job.json\n"
                 "  benchwire rerun --here job.json -- --fail-on-verdict");
  auto options = std::make_shared<RerunOptions>();
  command->add_option("job", options->job, "The job; with --here also a file with its JSON, `-` for standard input")
      ->required()
      ->type_name("J|FILE");
  command
      ->add_option("runner_arguments", options->runner_arguments, "With --here, after `--`: arguments for the runner")
      ->type_name("ARGUMENT");
  command->add_flag("--here", options->here,
                    "Run it on this machine with the runner benchwire-KIND; a file needs no server");
  command
      ->add_option("--runners", options->runners,
                   "With --here: directory of the runners (default: beside this program, then PATH)")
      ->type_name("DIR");
  command->add_flag("--fail-on-verdict", options->fail_on_verdict, "With --here: passed on to the runner");
  command->add_flag("--wait", options->wait, "Wait for the end; the exit status tells it");
  command->callback([&line, options] {
    line.action = [options](Session& session) {
      return options->here ? RunHere(session, *options) : RunAgain(session, *options);
    };
  });
}

}  // namespace benchwire::cli
