// Waiting for a job with one live line on the error output.
#ifndef BENCHWIRE_CLIENTS_CLI_WAIT_H_
#define BENCHWIRE_CLIENTS_CLI_WAIT_H_

#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/job_service.pb.h>

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/output.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// `RUNNING  [#####-----]   50 %  copying gpu:0 to gpu:1  12 s left`. Pure.
std::string ProgressText(const v1::Job& job);

// One line that is written over on a terminal; elsewhere a line for each change of state or message.
class ProgressLine {
 public:
  explicit ProgressLine(Output& output);
  // Takes the line away.
  ~ProgressLine();
  void Show(const std::string& text, const std::string& key);

 private:
  Output& output_;
  const bool live_;
  bool shown_ = false;
  std::string key_;
};

// The exit status for a job's final state.
int ExitCodeOf(v1::JobState state);

// Waits for the end, says on the error output how it went, prints the job where `--json` was asked, and returns the
// exit status (kExitInterrupted after Ctrl-C, kExitBrokenPipe where the reader went away; the job goes on).
absl::StatusOr<int> WaitForEnd(Session& session, const std::string& job);

// Prints the name of a job that was just made (the job itself with `--json`), and with `wait` does WaitForEnd.
absl::StatusOr<int> ReportNewJob(Session& session, const v1::Job& job, bool wait);
// Creates the job, then ReportNewJob.
absl::StatusOr<int> SubmitJob(Session& session, const v1::CreateJobRequest& request, bool wait);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_WAIT_H_
