// A job read from a file, to be run here: the JSON of a Job, or what `GET /v1/jobs/J` gave.
#ifndef BENCHWIRE_CLIENTS_CLI_JOB_FILE_H_
#define BENCHWIRE_CLIENTS_CLI_JOB_FILE_H_

#include <benchwire/v1/job.pb.h>

#include <string>

#include "absl/status/statusor.h"

namespace benchwire::cli {

// What a runner is given.
struct RunnerInput {
  std::string kind;
  // The spec's bytes, as the spec digest covers them.
  std::string spec_json;
  int64_t seed = 0;
  // False where the job states a spec digest that these bytes do not have.
  bool digest_matches = true;
};

// Pure. Fields that a newer server added to a Job are ignored, but none of the spec: the run would be another one.
// INVALID_ARGUMENT naming `from`.
absl::StatusOr<v1::Job> ParseJobFile(const std::string& from, const std::string& text);
// Pure. INVALID_ARGUMENT where the job has no spec or no seed.
absl::StatusOr<RunnerInput> InputOf(const v1::Job& job);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_JOB_FILE_H_
