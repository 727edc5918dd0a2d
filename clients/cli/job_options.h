// The options that every `benchwire submit KIND` has.
#ifndef BENCHWIRE_CLIENTS_CLI_JOB_OPTIONS_H_
#define BENCHWIRE_CLIENTS_CLI_JOB_OPTIONS_H_

#include <benchwire/v1/job_service.pb.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/commands.h"

namespace benchwire::cli {

struct JobOptions {
  std::optional<std::string> seed, name, priority, timeout, queue_ttl, max_attempts, request_id;
  std::vector<std::string> labels;
  bool allow_unsatisfiable = false;
  bool wait = false;
};

// `options` must outlive the command.
void AddJobOptions(CLI::App& command, JobOptions& options);

// Puts what was given into the request. INVALID_ARGUMENT/BAD_FIELD naming the option.
absl::Status FillJob(const JobOptions& options, v1::CreateJobRequest& request);

// The texts `KEY=VALUE` of an option. INVALID_ARGUMENT/BAD_FIELD where one is none, or repeats a key.
absl::StatusOr<std::map<std::string, std::string>> KeyValues(const std::string& option,
                                                             const std::vector<std::string>& texts);

// `benchwire submit command …`, see submit_command.cc.
void AddSubmitCommand(CLI::App& group, CommandLine& line);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_JOB_OPTIONS_H_
