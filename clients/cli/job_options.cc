#include "clients/cli/job_options.h"

#include <limits>
#include <utility>

#include "clients/cli/units.h"
#include "server/base/clock.h"
#include "server/base/status.h"

namespace benchwire::cli {

void AddJobOptions(CLI::App& command, JobOptions& options) {
  AddText(command, "--seed", options.seed, "Seed of everything random; drawn by the server where not given", "N");
  AddText(command, "--name", options.name, "What people call the job", "TEXT");
  command.add_option("--label", options.labels, "Label to find the job by; may be repeated")
      ->type_name("KEY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  AddText(command, "--priority", options.priority, "0 to 100, higher goes first (default 50)", "N");
  AddText(command, "--timeout", options.timeout, "Longest time one attempt may run (default 1h)", "TIME");
  AddText(command, "--queue-ttl", options.queue_ttl,
          "Longest time it may wait in the queue, then it ends EXPIRED (default: for ever)", "TIME");
  AddText(command, "--max-attempts", options.max_attempts,
          "Attempts that may fail before the job does, 1 to 10 (default 3)", "N");
  AddText(command, "--request-id", options.request_id,
          "Makes the call safe to repeat: the same id and job give the same job (default: a new one)", "ID");
  command.add_flag("--allow-unsatisfiable", options.allow_unsatisfiable,
                   "Queue the job even if no registered worker could run it");
  command.add_flag("--wait", options.wait, "Wait for the end; the exit status tells it");
}

absl::Status FillJob(const JobOptions& options, v1::CreateJobRequest& request) {
  static constexpr int64_t kMostSeed = std::numeric_limits<int64_t>::max();
  v1::Job& job = *request.mutable_job();
  if (options.seed) {
    ASSIGN_OR_RETURN(const int64_t seed, ParseInteger("--seed", *options.seed, 0, kMostSeed));
    job.set_seed(seed);
  }
  if (options.name) job.set_display_name(*options.name);
  ASSIGN_OR_RETURN(const auto labels, KeyValues("--label", options.labels));
  job.mutable_labels()->insert(labels.begin(), labels.end());
  if (options.priority) {
    ASSIGN_OR_RETURN(const int64_t priority, ParseInteger("--priority", *options.priority, 0, 100));
    job.set_priority(static_cast<int32_t>(priority));
  }
  if (options.timeout) {
    ASSIGN_OR_RETURN(const auto timeout, ParseSpan("--timeout", *options.timeout));
    *job.mutable_timeout() = ToProto(timeout);
  }
  if (options.queue_ttl) {
    ASSIGN_OR_RETURN(const auto ttl, ParseSpan("--queue-ttl", *options.queue_ttl));
    *job.mutable_queue_ttl() = ToProto(ttl);
  }
  if (options.max_attempts) {
    ASSIGN_OR_RETURN(const int64_t attempts, ParseInteger("--max-attempts", *options.max_attempts, 1, 10));
    job.set_max_attempts(static_cast<int32_t>(attempts));
  }
  if (options.request_id && options.request_id->empty()) {
    return BadField("--request-id", "", "1 to 64 bytes of A-Z, a-z, 0-9, _ and -");
  }
  if (options.request_id) request.set_request_id(*options.request_id);
  request.set_allow_unsatisfiable(options.allow_unsatisfiable);
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::string>> KeyValues(const std::string& option,
                                                             const std::vector<std::string>& texts) {
  std::map<std::string, std::string> out;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return BadField(option, text, "KEY=VALUE");
    if (!out.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      return BadField(option, text, "each key once");
    }
  }
  return out;
}

}  // namespace benchwire::cli
