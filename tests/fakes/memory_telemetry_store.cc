#include "tests/fakes/memory_telemetry_store.h"

#include <algorithm>
#include <iterator>

namespace benchwire::storage {
namespace {

bool Continues(const v1::Series& series, const v1::Point& point) {
  return series.metric() == point.metric() && series.labels_size() == point.labels_size() &&
         std::all_of(point.labels().begin(), point.labels().end(), [&](const auto& label) {
           const auto found = series.labels().find(label.first);
           return found != series.labels().end() && found->second == label.second;
         });
}

}  // namespace

void MemoryTelemetryStore::AppendPoint(const AttemptId& attempt, const v1::Point& point,
                                       std::vector<SeriesRows>& series) {
  auto found = std::find_if(series.begin(), series.end(),
                            [&](const SeriesRows& candidate) { return Continues(candidate.series, point); });
  if (found == series.end()) {
    found = series.emplace(series.end());
    found->series.set_name(AttemptName(attempt) + "/series/" + std::to_string(series.size()));
    found->series.set_metric(point.metric());
    *found->series.mutable_labels() = point.labels();
  }
  v1::SeriesPoint& stored = found->points.emplace_back();
  stored.set_step(point.step());
  stored.set_value(point.value());
  found->series.set_point_count(std::ssize(found->points));
}

void MemoryTelemetryStore::AppendAsync(TelemetryBatch batch,
                                       std::function<void(absl::StatusOr<TelemetryCursor>)> done) {
  TelemetryCursor cursor;
  {
    MutexLock lock(mutex_);
    Telemetry& telemetry = attempts_[batch.attempt];
    if (batch.sequence == telemetry.cursor.last_sequence + 1) {
      telemetry.log += batch.log;
      for (const v1::Point& point : batch.points) AppendPoint(batch.attempt, point, telemetry.series);
      telemetry.cursor = {batch.sequence, std::ssize(telemetry.log)};
    }
    cursor = telemetry.cursor;
  }
  done(cursor);
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
  for (const SeriesRows& rows : found->second.series) out.push_back(rows.series);
  return out;
}

absl::StatusOr<std::vector<v1::SeriesPoint>> MemoryTelemetryStore::ReadSeries(const SeriesQuery& query) const {
  MutexLock lock(mutex_);
  std::vector<v1::SeriesPoint> out;
  const auto found = attempts_.find(query.attempt);
  if (found == attempts_.end() || query.series < 1 || query.series > std::ssize(found->second.series)) return out;
  for (const v1::SeriesPoint& point : found->second.series[static_cast<size_t>(query.series - 1)].points) {
    if (point.step() >= query.first_step && point.step() <= query.last_step) out.push_back(point);
  }
  return out;
}

}  // namespace benchwire::storage
