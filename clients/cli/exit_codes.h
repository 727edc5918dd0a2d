// The exit statuses of `benchwire`, and how a status becomes one. `benchwire --help` prints kExitCodeHelp.
#ifndef BENCHWIRE_CLIENTS_CLI_EXIT_CODES_H_
#define BENCHWIRE_CLIENTS_CLI_EXIT_CODES_H_

#include "absl/status/status.h"

namespace benchwire::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitConflict = 4;
inline constexpr int kExitUnreachable = 5;
inline constexpr int kExitJobFailed = 6;
inline constexpr int kExitJobCancelled = 7;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitBrokenPipe = 141;

inline constexpr char kExitCodeHelp[] =
    "Exit status:\n"
    "  0    done; with --wait: the job succeeded\n"
    "  1    another error, such as a full disk\n"
    "  2    the command line or a value in it is not right\n"
    "  3    the thing named does not exist\n"
    "  4    refused in the present state, or someone else changed it meanwhile\n"
    "  5    the server cannot be reached or does not answer in time\n"
    "  6    the job waited for failed\n"
    "  7    the job waited for was cancelled\n"
    "  130  interrupted by Ctrl-C; a job goes on\n"
    "  141  the reader of our output went away, as with `| head -1`\n"
    "  `rerun --here` ends with the status of the runner it ran.";

inline int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return kExitUsage;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return kExitConflict;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kCancelled:
      return kExitInterrupted;
    default:
      return kExitError;
  }
}

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_EXIT_CODES_H_
