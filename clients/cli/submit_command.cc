// benchwire submit command NAME …
#include <benchwire/v1/job_service.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/cli/commands.h"
#include "clients/cli/job_options.h"
#include "clients/cli/units.h"
#include "clients/cli/wait.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

struct CommandOptions {
  std::string name;
  std::vector<std::string> parameters;
  std::optional<std::string> cpus, gpus, memory, exclusive;
  JobOptions job;
};

absl::Status FillNeeds(const CommandOptions& options, v1::Job& job) {
  if (options.cpus) {
    ASSIGN_OR_RETURN(const int64_t cpus, ParseInteger("--cpus", *options.cpus, 1, 4096));
    job.mutable_requirements()->set_cpus(static_cast<int32_t>(cpus));
  }
  if (options.gpus) {
    ASSIGN_OR_RETURN(const int64_t gpus, ParseInteger("--gpus", *options.gpus, 0, 64));
    if (gpus > 0) job.mutable_requirements()->set_device_kind(v1::DEVICE_KIND_GPU);
    job.mutable_requirements()->set_device_count(static_cast<int32_t>(gpus));
  }
  if (options.memory) {
    ASSIGN_OR_RETURN(const int64_t bytes, ParseBytes("--memory", *options.memory));
    job.mutable_requirements()->set_memory_bytes(bytes);
  }
  if (!options.exclusive) return absl::OkStatus();
  if (*options.exclusive == "none") {
    job.mutable_requirements()->set_exclusivity(v1::EXCLUSIVITY_NONE);
  } else if (*options.exclusive == "device") {
    job.mutable_requirements()->set_exclusivity(v1::EXCLUSIVITY_DEVICE);
  } else if (*options.exclusive == "host") {
    job.mutable_requirements()->set_exclusivity(v1::EXCLUSIVITY_HOST);
  } else {
    return BadField("--exclusive", *options.exclusive, "none, device or host");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Submit(Session& session, const CommandOptions& options) {
  v1::CreateJobRequest request;
  v1::CommandSpec& spec = *request.mutable_job()->mutable_command();
  spec.set_command(options.name);
  ASSIGN_OR_RETURN(const auto parameters, KeyValues("--param", options.parameters));
  spec.mutable_parameters()->insert(parameters.begin(), parameters.end());
  RETURN_IF_ERROR(FillNeeds(options, *request.mutable_job()));
  RETURN_IF_ERROR(FillJob(options.job, request));
  return SubmitJob(session, request, options.job.wait);
}

}  // namespace

void AddSubmitCommand(CLI::App& group, CommandLine& line) {
  CLI::App* command = AddCommand(
      group, "command", "An outside program that a worker's configuration defines; `benchwire workers show` lists them",
      "  benchwire submit command sort-lines --param lines=100000 --wait\n"
      "  benchwire submit command rllib --param algorithm=PPO --gpus 1 --cpus 8 --timeout 6h --seed 7 --wait");
  auto options = std::make_shared<CommandOptions>();
  command->add_option("name", options->name, "Name of the command")->required()->type_name("NAME");
  command->add_option("--param", options->parameters, "Value of a parameter of the command; may be repeated")
      ->type_name("KEY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  AddText(*command, "--cpus", options->cpus, "Logical CPUs it needs (default 1)", "N");
  AddText(*command, "--gpus", options->gpus, "GPUs it needs (default 0)", "N");
  AddText(*command, "--memory", options->memory, "Host memory it needs, such as 8GiB (default: not checked)", "SIZE");
  AddText(*command, "--exclusive", options->exclusive,
          "How quiet the machine must be: none, device or host (default none)", "HOW");
  AddJobOptions(*command, options->job);
  command->callback(
      [&line, options] { line.action = [options](Session& session) { return Submit(session, *options); }; });
}

}  // namespace benchwire::cli
