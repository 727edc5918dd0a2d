// Names as people type them: the full resource name or its short form. Pure; an error is INVALID_ARGUMENT naming the
// argument.
#ifndef BENCHWIRE_CLIENTS_CLI_NAMES_H_
#define BENCHWIRE_CLIENTS_CLI_NAMES_H_

#include <string>

#include "absl/status/statusor.h"

namespace benchwire::cli {

// `J` or `jobs/J` → `jobs/J`.
absl::StatusOr<std::string> JobArgument(const std::string& text);
// `W` or `workers/W` → `workers/W`.
absl::StatusOr<std::string> WorkerArgument(const std::string& text);
// `2026-01-14`, `digests/2026-01-14` or `today` → `digests/2026-01-14`. `today` is the caller's local day.
absl::StatusOr<std::string> DigestArgument(const std::string& text, const std::string& today);
// `D/E` or `digests/D/entries/E` → the latter; D may be `today`.
absl::StatusOr<std::string> EntryArgument(const std::string& text, const std::string& today);

// True for the name of an attempt, `jobs/J/attempts/N` or `J/attempts/N`.
bool NamesAttempt(const std::string& text);
// `jobs/J/attempts/N` or `J/attempts/N` → the former.
absl::StatusOr<std::string> AttemptArgument(const std::string& text);

// What comes after the last `/`.
std::string LastSegment(const std::string& name);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_NAMES_H_
