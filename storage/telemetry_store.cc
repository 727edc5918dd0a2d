#include "storage/telemetry_store.h"

#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include "server/base/status.h"

namespace benchwire::storage {

absl::StatusOr<TelemetryCursor> TelemetryStore::Append(TelemetryBatch batch) {
  // Shared: the store's thread may still be inside set_value when get returns.
  auto promise = std::make_shared<std::promise<absl::StatusOr<TelemetryCursor>>>();
  auto future = promise->get_future();
  AppendAsync(std::move(batch),
              [promise](absl::StatusOr<TelemetryCursor> cursor) { promise->set_value(std::move(cursor)); });
  return future.get();
}

void CountPoints(std::span<const StepValue> points, v1::Series& series) {
  if (points.empty()) return;
  series.set_point_count(series.point_count() + std::ssize(points));
  series.mutable_last_point()->set_step(points.back().step);
  series.mutable_last_point()->set_value(points.back().value);
}

absl::Status LogFull(const AttemptId& attempt, const TelemetryLimits& limits) {
  return MakeError(absl::StatusCode::kResourceExhausted, "LOG_FULL",
                   "the log of " + AttemptName(attempt) + " would grow beyond " + std::to_string(limits.log_bytes) +
                       " bytes, the most that an attempt may store");
}

absl::Status ArtifactsFull(const AttemptId& attempt, const TelemetryLimits& limits) {
  return MakeError(absl::StatusCode::kResourceExhausted, "ARTIFACTS_FULL",
                   AttemptName(attempt) + " may store at most " + std::to_string(limits.artifacts) + " artifacts of " +
                       std::to_string(limits.artifact_bytes) + " bytes in all");
}

absl::Status TooManyPoints(const v1::Series& series) {
  return MakeError(absl::StatusCode::kResourceExhausted, "TOO_MANY_POINTS",
                   series.name() + " has more than " + std::to_string(TelemetryStore::kMaxPointsRead) +
                       " points in this range of steps; ask for buckets (max_buckets) or for a shorter range");
}

}  // namespace benchwire::storage
