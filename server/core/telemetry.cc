#include "server/core/telemetry.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/base/status.h"
#include "server/core/lifecycle.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

constexpr int64_t kMaxChunk = 1 << 20;
constexpr int64_t kDefaultChunk = 64 << 10;
constexpr int kMaxBuckets = 10'000;

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
  ASSIGN_OR_RETURN(const SeriesId id, ParseSeriesName("name", request.name()));
  RETURN_IF_ERROR(CheckRange("first_step", request.first_step(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("last_step", request.last_step(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("max_buckets", request.max_buckets(), 0, kMaxBuckets));
  ASSIGN_OR_RETURN(storage::SeriesPoints read,
                   environment_.telemetry.ReadSeries({id.attempt, id.number, request.first_step(),
                                                      request.last_step() == 0 ? INT64_MAX : request.last_step(),
                                                      request.max_buckets()}));
  v1::SeriesData data;
  *data.mutable_series() = std::move(read.series);
  data.mutable_points()->Reserve(static_cast<int>(read.points.size()));
  for (const storage::StepValue& point : read.points) {
    v1::SeriesPoint* out = data.add_points();
    out->set_step(point.step);
    out->set_value(point.value);
  }
  return data;
}

absl::StatusOr<v1::ListArtifactsResponse> Telemetry::ListArtifacts(const v1::ListArtifactsRequest& request) const {
  ASSIGN_OR_RETURN(const AttemptId attempt, ParseAttemptName("parent", request.parent()));
  RETURN_IF_ERROR(HasEnded(attempt).status());
  ASSIGN_OR_RETURN(const std::vector<v1::Artifact> artifacts, environment_.telemetry.ListArtifacts(attempt));
  v1::ListArtifactsResponse response;
  response.mutable_artifacts()->Assign(artifacts.begin(), artifacts.end());
  return response;
}

absl::StatusOr<v1::ArtifactData> Telemetry::ReadArtifact(const v1::ReadArtifactRequest& request) const {
  ASSIGN_OR_RETURN(const ArtifactId id, ParseArtifactName("name", request.name()));
  RETURN_IF_ERROR(CheckRange("offset", request.offset(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckRange("max_bytes", request.max_bytes(), 0, kMaxChunk));
  const int64_t limit = request.max_bytes() == 0 ? kDefaultChunk : request.max_bytes();
  ASSIGN_OR_RETURN(v1::ArtifactData data, environment_.telemetry.ReadArtifact(id, request.offset(), limit));
  data.set_next_offset(request.offset() + static_cast<int64_t>(data.data().size()));
  data.set_end(data.next_offset() >= data.artifact().size_bytes());
  return data;
}

}  // namespace benchwire::core
