// Resource names: `jobs/J`, `jobs/J/attempts/N`, `jobs/J/attempts/N/measurements/K`, `jobs/J/attempts/N/series/S`,
// `jobs/J/attempts/N/artifacts/K`, `workers/W`, `digests/D`, `digests/D/entries/E`, `digests/D/editions/N`. Parsing
// checks every segment, so a parsed id is safe to use as a key; an error is INVALID_ARGUMENT naming the field. Any
// thread.
#ifndef BENCHWIRE_SERVER_BASE_RESOURCE_NAME_H_
#define BENCHWIRE_SERVER_BASE_RESOURCE_NAME_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire {

struct AttemptId {
  std::string job;  // The job's id, without `jobs/`.
  int64_t number = 0;
  bool operator==(const AttemptId&) const = default;
  auto operator<=>(const AttemptId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

struct SeriesId {
  AttemptId attempt;
  int64_t number = 0;
};

struct ArtifactId {
  AttemptId attempt;
  int64_t number = 0;
};

struct EntryId {
  std::string digest;  // The day.
  std::string entry;
};

struct EditionId {
  std::string digest;  // The day.
  int64_t number = 0;
};

// The id in `jobs/J`: `[0-9a-z]{1,63}`.
absl::StatusOr<std::string> ParseJobName(const std::string& field, const std::string& name);
absl::StatusOr<AttemptId> ParseAttemptName(const std::string& field, const std::string& name);
absl::StatusOr<SeriesId> ParseSeriesName(const std::string& field, const std::string& name);
absl::StatusOr<ArtifactId> ParseArtifactName(const std::string& field, const std::string& name);
// The id in `workers/W`: `[a-z0-9-]{1,63}`.
absl::StatusOr<std::string> ParseWorkerName(const std::string& field, const std::string& name);
// The day in `digests/2026-01-14`.
absl::StatusOr<std::string> ParseDigestName(const std::string& field, const std::string& name);
absl::StatusOr<EntryId> ParseEntryName(const std::string& field, const std::string& name);
absl::StatusOr<EditionId> ParseEditionName(const std::string& field, const std::string& name);

// A day that exists in the Gregorian calendar, `YYYY-MM-DD`, years 1900 to 9999.
bool IsDay(const std::string& text);
// `[a-z0-9-]{1,63}`.
bool IsSlug(const std::string& text);

std::string JobName(const std::string& id);
std::string AttemptName(const AttemptId& id);
std::string SeriesName(const SeriesId& id);
std::string ArtifactName(const ArtifactId& id);
std::string WorkerName(const std::string& id);
std::string DigestName(const std::string& day);
std::string EntryName(const EntryId& id);
std::string EditionName(const EditionId& id);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_RESOURCE_NAME_H_
