#include "tests/fakes/memory_telemetry_store.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

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
  Telemetry& telemetry = attempts_[batch.attempt];
  TelemetryCursor& cursor = telemetry.cursor;
  if (batch.sequence != cursor.last_sequence + 1) return cursor;
  if (std::ssize(batch.log) > limits_.log_bytes - cursor.log_bytes) return LogFull(batch.attempt, limits_);
  telemetry.log += batch.log;
  for (const PointGroup& group : batch.points) AppendPoints(batch.attempt, group, telemetry);
  cursor.last_sequence = batch.sequence;
  cursor.log_bytes = std::ssize(telemetry.log);
  return cursor;
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
