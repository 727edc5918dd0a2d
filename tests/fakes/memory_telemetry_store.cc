#include "tests/fakes/memory_telemetry_store.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "server/base/sha256.h"
#include "server/base/status.h"
#include "storage/series/buckets.h"

namespace benchwire::storage {
namespace {

bool Continues(const v1::Series& series, const PointGroup& group) {
  return series.metric() == group.metric && series.labels_size() == static_cast<int>(group.labels.size()) &&
         std::all_of(group.labels.begin(), group.labels.end(), [&](const auto& label) {
           const auto found = series.labels().find(label.first);
           return found != series.labels().end() && found->second == label.second;
         });
}

}  // namespace

void MemoryTelemetryStore::AppendPoints(const AttemptId& attempt, const PointGroup& group, Telemetry& telemetry) const {
  std::vector<SeriesPoints>& all = telemetry.series;
  TelemetryCursor& cursor = telemetry.cursor;
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const SeriesPoints& candidate) { return Continues(candidate.series, group); });
  if (found == all.end() && std::ssize(all) < limits_.series) {
    found = all.emplace(all.end());
    found->series.set_name(SeriesName({attempt, std::ssize(all)}));
    found->series.set_metric(group.metric);
    *found->series.mutable_labels() = group.labels;
  }
  for (const StepValue& point : group.points) {
    if (found == all.end() || cursor.points >= limits_.points) {
      ++cursor.dropped_points;
      continue;
    }
    ++cursor.points;
    found->points.push_back(point);
    CountPoints(std::span(&point, 1), found->series);
  }
}

absl::StatusOr<TelemetryCursor> MemoryTelemetryStore::AppendNow(const TelemetryBatch& batch) {
  MutexLock lock(mutex_);
  Telemetry telemetry = attempts_[batch.attempt];  // A copy: all of the batch is stored, or nothing.
  TelemetryCursor& cursor = telemetry.cursor;
  if (batch.sequence != cursor.last_sequence + 1) return cursor;
  if (std::ssize(batch.log) > limits_.log_bytes - cursor.log_bytes) return LogFull(batch.attempt, limits_);
  for (const v1::ArtifactChunk& chunk : batch.artifacts) {
    RETURN_IF_ERROR(AppendChunk(batch.attempt, chunk, telemetry));
  }
  telemetry.log += batch.log;
  for (const PointGroup& group : batch.points) AppendPoints(batch.attempt, group, telemetry);
  cursor.last_sequence = batch.sequence;
  cursor.log_bytes = std::ssize(telemetry.log);
  return (attempts_[batch.attempt] = std::move(telemetry)).cursor;
}

absl::Status MemoryTelemetryStore::AppendChunk(const AttemptId& attempt, const v1::ArtifactChunk& chunk,
                                               Telemetry& telemetry) const {
  for (const Content& done : telemetry.artifacts) {
    if (done.artifact.path() == chunk.path()) return BadField("artifacts.path", chunk.path(), "a new path");
  }
  Content& upload = telemetry.uploads[chunk.path()];
  if (chunk.offset() != std::ssize(upload.bytes)) return BadField("artifacts.offset", "", "the next byte");
  if (chunk.offset() == 0) upload.artifact.set_media_type(chunk.media_type());
  upload.bytes += chunk.data();
  int64_t bytes = 0;
  for (const auto& [path, content] : telemetry.uploads) bytes += std::ssize(content.bytes);
  for (const Content& content : telemetry.artifacts) bytes += std::ssize(content.bytes);
  const auto count = std::ssize(telemetry.artifacts) + std::ssize(telemetry.uploads);
  if (count > limits_.artifacts || bytes > limits_.artifact_bytes) return ArtifactsFull(attempt, limits_);
  if (!chunk.last()) return absl::OkStatus();
  if (chunk.size_bytes() != std::ssize(upload.bytes))
    return BadField("artifacts.size_bytes", "", "the bytes that came");
  if (chunk.sha256() != Sha256Hex(upload.bytes))
    return BadField("artifacts.sha256", chunk.sha256(), "that of the bytes");
  upload.artifact.set_name(ArtifactName({attempt, std::ssize(telemetry.artifacts) + 1}));
  upload.artifact.set_path(chunk.path());
  upload.artifact.set_size_bytes(chunk.size_bytes());
  upload.artifact.set_sha256(chunk.sha256());
  telemetry.artifacts.push_back(std::move(upload));
  telemetry.uploads.erase(chunk.path());
  return absl::OkStatus();
}

void MemoryTelemetryStore::EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) {
  {
    MutexLock lock(mutex_);
    const auto found = attempts_.find(attempt);
    if (found != attempts_.end()) found->second.uploads.clear();
  }
  done(absl::OkStatus());
}

absl::StatusOr<std::vector<v1::Artifact>> MemoryTelemetryStore::ListArtifacts(const AttemptId& attempt) const {
  MutexLock lock(mutex_);
  std::vector<v1::Artifact> out;
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return out;
  for (const Content& content : found->second.artifacts) out.push_back(content.artifact);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
  return out;
}

absl::StatusOr<v1::ArtifactData> MemoryTelemetryStore::ReadArtifact(const ArtifactId& id, int64_t offset,
                                                                    int64_t limit) const {
  MutexLock lock(mutex_);
  const auto found = attempts_.find(id.attempt);
  if (found == attempts_.end() || id.number < 1 || id.number > std::ssize(found->second.artifacts)) {
    return NotFound(ArtifactName(id));
  }
  const Content& content = found->second.artifacts[static_cast<size_t>(id.number - 1)];
  v1::ArtifactData out;
  *out.mutable_artifact() = content.artifact;
  if (offset < std::ssize(content.bytes)) {
    out.set_data(content.bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(limit)));
  }
  return out;
}

void MemoryTelemetryStore::AppendAsync(TelemetryBatch batch,
                                       std::function<void(absl::StatusOr<TelemetryCursor>)> done) {
  done(AppendNow(batch));
}

absl::StatusOr<TelemetryCursor> MemoryTelemetryStore::GetCursor(const AttemptId& attempt) const {
  MutexLock lock(mutex_);
  const auto found = attempts_.find(attempt);
  return found == attempts_.end() ? TelemetryCursor() : found->second.cursor;
}

absl::StatusOr<std::string> MemoryTelemetryStore::ReadLog(const AttemptId& attempt, int64_t offset,
                                                          int64_t limit) const {
  MutexLock lock(mutex_);
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || offset >= std::ssize(found->second.log)) return "";
  return found->second.log.substr(static_cast<size_t>(offset), static_cast<size_t>(limit));
}

absl::StatusOr<std::vector<v1::Series>> MemoryTelemetryStore::ListSeries(const AttemptId& attempt) const {
  MutexLock lock(mutex_);
  std::vector<v1::Series> out;
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return out;
  for (const SeriesPoints& rows : found->second.series) out.push_back(rows.series);
  return out;
}

absl::StatusOr<SeriesPoints> MemoryTelemetryStore::ReadSeries(const SeriesQuery& query) const {
  MutexLock lock(mutex_);
  const auto found = attempts_.find(query.attempt);
  if (found == attempts_.end() || query.series < 1 || query.series > std::ssize(found->second.series)) {
    return NotFound(SeriesName({query.attempt, query.series}));
  }
  SeriesPoints out = found->second.series[static_cast<size_t>(query.series - 1)];
  std::erase_if(out.points,
                [&](const StepValue& point) { return point.step < query.first_step || point.step > query.last_step; });
  if (query.max_buckets == 0 && std::ssize(out.points) > kMaxPointsRead) return TooManyPoints(out.series);
  out.points = InStepOrder(std::move(out.points), query.max_buckets);
  return out;
}

}  // namespace benchwire::storage
