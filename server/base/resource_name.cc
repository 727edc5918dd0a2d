#include "server/base/resource_name.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "server/base/status.h"

namespace benchwire {
namespace {

constexpr size_t kMaxSegment = 63;
constexpr int64_t kMaxNumber = 1'000'000'000;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t slash = text.find('/');
    out.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    text.remove_prefix(slash + 1);
  }
}

bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsJobId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSegment && std::all_of(text.begin(), text.end(), IsLowerAlnum);
}

// A positive decimal number without sign or leading zeros.
std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kMaxNumber || text[0] == '0') {
    return std::nullopt;
  }
  return value;
}

bool Matches(const std::vector<std::string_view>& segments, std::initializer_list<std::string_view> collections) {
  if (segments.size() != collections.size() * 2) return false;
  size_t i = 0;
  for (std::string_view collection : collections) {
    if (segments[i] != collection) return false;
    i += 2;
  }
  return true;
}

// `jobs/J/attempts/N/COLLECTION/K`.
template <typename Id>
std::optional<Id> ParsePartOfAttempt(const std::string& name, std::string_view collection) {
  const auto segments = Split(name);
  if (!Matches(segments, {"jobs", "attempts", collection}) || !IsJobId(segments[1])) return std::nullopt;
  const auto attempt = ParseNumber(segments[3]), part = ParseNumber(segments[5]);
  if (!attempt || !part) return std::nullopt;
  return Id{{std::string(segments[1]), *attempt}, *part};
}

}  // namespace

bool IsSlug(const std::string& text) {
  return !text.empty() && text.size() <= kMaxSegment &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsDay(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  auto number = [&](size_t from, size_t count) {
    int value = 0;
    for (size_t i = from; i < from + count; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 1900 || month < 1 || day < 1) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

absl::StatusOr<std::string> ParseJobName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (!Matches(segments, {"jobs"}) || !IsJobId(segments[1])) return BadField(field, name, "jobs/J");
  return std::string(segments[1]);
}

absl::StatusOr<AttemptId> ParseAttemptName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (Matches(segments, {"jobs", "attempts"}) && IsJobId(segments[1])) {
    if (auto number = ParseNumber(segments[3])) return AttemptId{std::string(segments[1]), *number};
  }
  return BadField(field, name, "jobs/J/attempts/N with N from 1");
}

absl::StatusOr<SeriesId> ParseSeriesName(const std::string& field, const std::string& name) {
  if (const auto id = ParsePartOfAttempt<SeriesId>(name, "series")) return *id;
  return BadField(field, name, "jobs/J/attempts/N/series/S with N and S from 1");
}

absl::StatusOr<ArtifactId> ParseArtifactName(const std::string& field, const std::string& name) {
  if (const auto id = ParsePartOfAttempt<ArtifactId>(name, "artifacts")) return *id;
  return BadField(field, name, "jobs/J/attempts/N/artifacts/K with N and K from 1");
}

absl::StatusOr<std::string> ParseWorkerName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (!Matches(segments, {"workers"}) || !IsSlug(std::string(segments[1]))) {
    return BadField(field, name, "workers/W with W of 1 to 63 characters a-z, 0-9 and -");
  }
  return std::string(segments[1]);
}

absl::StatusOr<std::string> ParseDigestName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (!Matches(segments, {"digests"}) || !IsDay(std::string(segments[1]))) {
    return BadField(field, name, "digests/YYYY-MM-DD with a day that exists");
  }
  return std::string(segments[1]);
}

absl::StatusOr<EntryId> ParseEntryName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (!Matches(segments, {"digests", "entries"}) || !IsDay(std::string(segments[1])) ||
      !IsSlug(std::string(segments[3]))) {
    return BadField(field, name, "digests/YYYY-MM-DD/entries/E with E of 1 to 63 characters a-z, 0-9 and -");
  }
  return EntryId{std::string(segments[1]), std::string(segments[3])};
}

absl::StatusOr<EditionId> ParseEditionName(const std::string& field, const std::string& name) {
  const auto segments = Split(name);
  if (Matches(segments, {"digests", "editions"}) && IsDay(std::string(segments[1]))) {
    if (auto number = ParseNumber(segments[3])) return EditionId{std::string(segments[1]), *number};
  }
  return BadField(field, name, "digests/YYYY-MM-DD/editions/N with N from 1");
}

std::string JobName(const std::string& id) { return "jobs/" + id; }
std::string AttemptName(const AttemptId& id) { return JobName(id.job) + "/attempts/" + std::to_string(id.number); }
std::string SeriesName(const SeriesId& id) { return AttemptName(id.attempt) + "/series/" + std::to_string(id.number); }
std::string ArtifactName(const ArtifactId& id) {
  return AttemptName(id.attempt) + "/artifacts/" + std::to_string(id.number);
}
std::string WorkerName(const std::string& id) { return "workers/" + id; }
std::string DigestName(const std::string& day) { return "digests/" + day; }
std::string EntryName(const EntryId& id) { return DigestName(id.digest) + "/entries/" + id.entry; }
std::string EditionName(const EditionId& id) {
  return DigestName(id.digest) + "/editions/" + std::to_string(id.number);
}

}  // namespace benchwire
