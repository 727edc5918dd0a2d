#include "server/core/telemetry.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/core/lifecycle.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

constexpr int64_t kMaxChunk = 1 << 20;
constexpr int64_t kDefaultChunk = 64 << 10;
constexpr int kMaxBuckets = 10'000;

struct SeriesId {
  AttemptId attempt;
  int64_t number = 0;
};

absl::StatusOr<SeriesId> ParseSeriesName(const std::string& name) {
  SeriesId id;
  const size_t mark = name.find("/series/");
  if (mark != std::string::npos) {
    auto attempt = ParseAttemptName("name", name.substr(0, mark));
    const std::string number = name.substr(mark + 8);
    const char* const end = number.data() + number.size();
    auto [rest, error] = std::from_chars(number.data(), end, id.number);
    if (attempt.ok() && error == std::errc() && rest == end && id.number > 0) {
      id.attempt = *attempt;
      return id;
    }
  }
  return BadField("name", name, "jobs/J/attempts/N/series/S");
}

}  // namespace

absl::StatusOr<bool> Telemetry::HasEnded(const AttemptId& attempt) const {
  bool ended = false;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const v1::Attempt found, view.jobs().GetAttempt(attempt));
    ended = IsEnded(found.state());
    return absl::OkStatus();
  }));
  return ended;
}

absl::StatusOr<v1::LogChunk> Telemetry::Read(const AttemptId& attempt, int64_t offset, int64_t limit) const {
  // Asked before the bytes are read: an attempt that has ended gets no more of them.
  ASSIGN_OR_RETURN(const bool ended, HasEnded(attempt));
  v1::LogChunk chunk;
  ASSIGN_OR_RETURN(*chunk.mutable_data(), environment_.telemetry.ReadLog(attempt, offset, limit));
  chunk.set_next_offset(offset + static_cast<int64_t>(chunk.data().size()));
  chunk.set_end(ended && static_cast<int64_t>(chunk.data().size()) < limit);
  return chunk;
}

absl::StatusOr<v1::LogChunk> Telemetry::ReadLog(const v1::ReadLogRequest& request) const {
  ASSIGN_OR_RETURN(const AttemptId attempt, ParseAttemptName("name", request.name()));
  RETURN_IF_ERROR(CheckRange("offset", request.offset(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("max_bytes", request.max_bytes(), 0, kMaxChunk));
  return Read(attempt, request.offset(), request.max_bytes() == 0 ? kDefaultChunk : request.max_bytes());
}

absl::StatusOr<AttemptId> Telemetry::BeginLogWatch(const v1::WatchLogRequest& request) const {
  ASSIGN_OR_RETURN(const AttemptId attempt, ParseAttemptName("name", request.name()));
  RETURN_IF_ERROR(CheckRange("offset", request.offset(), 0, INT64_MAX));
  RETURN_IF_ERROR(HasEnded(attempt).status());
  return attempt;
}

WaitList::Id Telemetry::NextLog(const AttemptId& attempt, int64_t offset, LogCallback callback) {
  return waits_.Add(AttemptName(attempt), [this, attempt, offset, callback = std::move(callback)](bool stopping) {
    absl::StatusOr<v1::LogChunk> chunk = Read(attempt, offset, kDefaultChunk);
    if (!chunk.ok() || chunk->end() || !chunk->data().empty()) {
      callback(std::move(chunk));
    } else if (stopping) {
      callback(MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping"));
    } else {
      return false;
    }
    return true;
  });
}

absl::StatusOr<v1::ListSeriesResponse> Telemetry::ListSeries(const v1::ListSeriesRequest& request) const {
  ASSIGN_OR_RETURN(const AttemptId attempt, ParseAttemptName("parent", request.parent()));
  RETURN_IF_ERROR(HasEnded(attempt).status());
  ASSIGN_OR_RETURN(std::vector<v1::Series> series, environment_.telemetry.ListSeries(attempt));
  std::sort(series.begin(), series.end(), [](const v1::Series& a, const v1::Series& b) {
    using Labels = std::map<std::string, std::string>;
    return std::make_pair(a.metric(), Labels(a.labels().begin(), a.labels().end())) <
           std::make_pair(b.metric(), Labels(b.labels().begin(), b.labels().end()));
  });
  v1::ListSeriesResponse response;
  response.mutable_series()->Assign(series.begin(), series.end());
  return response;
}

absl::StatusOr<v1::SeriesData> Telemetry::GetSeries(const v1::GetSeriesRequest& request) const {
  ASSIGN_OR_RETURN(const SeriesId id, ParseSeriesName(request.name()));
  RETURN_IF_ERROR(CheckRange("first_step", request.first_step(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("last_step", request.last_step(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("max_buckets", request.max_buckets(), 0, kMaxBuckets));
  ASSIGN_OR_RETURN(const std::vector<v1::Series> all, environment_.telemetry.ListSeries(id.attempt));
  if (id.number > static_cast<int64_t>(all.size())) return NotFound(request.name());
  ASSIGN_OR_RETURN(std::vector<v1::SeriesPoint> points,
                   environment_.telemetry.ReadSeries({id.attempt, id.number, request.first_step(),
                                                      request.last_step() == 0 ? INT64_MAX : request.last_step()}));
  std::stable_sort(points.begin(), points.end(),
                   [](const v1::SeriesPoint& a, const v1::SeriesPoint& b) { return a.step() < b.step(); });
  if (request.max_buckets() > 0) points = Bucketed(points, request.max_buckets());
  v1::SeriesData data;
  *data.mutable_series() = all[static_cast<size_t>(id.number - 1)];
  data.mutable_points()->Assign(points.begin(), points.end());
  return data;
}

std::vector<v1::SeriesPoint> Bucketed(const std::vector<v1::SeriesPoint>& points, int max_buckets) {
  if (points.empty()) return {};
  const double first = static_cast<double>(points.front().step());
  const double width = (static_cast<double>(points.back().step()) - first + 1) / max_buckets;
  std::vector<v1::SeriesPoint> out;
  size_t begin = 0;
  while (begin < points.size()) {
    const auto bucket = [&](size_t i) {
      const double place = (static_cast<double>(points[i].step()) - first) / width;
      return std::min(static_cast<int>(place), max_buckets - 1);  // Of huge steps the last may be rounded beyond it.
    };
    size_t end = begin, least = begin, largest = begin;
    for (; end < points.size() && bucket(end) == bucket(begin); ++end) {
      if (points[end].value() < points[least].value()) least = end;
      if (points[end].value() > points[largest].value()) largest = end;
    }
    for (size_t i : std::set<size_t>{begin, least, largest, end - 1}) out.push_back(points[i]);
    begin = end;
  }
  return out;
}

}  // namespace benchwire::core
