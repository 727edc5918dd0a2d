// Logs, series and artifacts of attempts, kept apart from the main store so that a flood never delays job state.
// Batches are numbered; a batch is stored once, in order. Any thread.
#ifndef BENCHWIRE_STORAGE_TELEMETRY_STORE_H_
#define BENCHWIRE_STORAGE_TELEMETRY_STORE_H_

#include <benchwire/v1/agent_service.pb.h>
#include <benchwire/v1/job_service.pb.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/resource_name.h"
#include "storage/series/point_groups.h"
#include "storage/series/step_value.h"

namespace benchwire::storage {

// What one attempt may store, whatever its worker does.
struct TelemetryLimits {
  int64_t log_bytes = 10 << 20;  // A worker cuts the log at 9 MiB.
  // Points beyond these are counted and not stored: what was measured before them is still worth having.
  int64_t series = 1'000;
  int64_t points = 10'000'000;
  int64_t artifacts = 1'000;
  int64_t artifact_bytes = int64_t{256} << 20;  // In all.
};

struct TelemetryBatch {
  AttemptId attempt;
  int64_t sequence = 0;  // From 1.
  std::string log;
  std::vector<PointGroup> points = {};  // From GroupPoints.
  std::vector<v1::ArtifactChunk> artifacts = {};
};

// How far the telemetry of an attempt has come.
struct TelemetryCursor {
  int64_t last_sequence = 0;
  int64_t log_bytes = 0;
  int64_t points = 0;          // Stored.
  int64_t dropped_points = 0;  // Beyond the limits.
  bool operator==(const TelemetryCursor&) const = default;
};

struct SeriesQuery {
  AttemptId attempt;
  int64_t series = 0;  // Its number in the attempt, from 1.
  int64_t first_step = 0;
  int64_t last_step = INT64_MAX;
  int max_buckets = 0;  // 0: every point.
};

struct SeriesPoints {
  v1::Series series;
  std::vector<StepValue> points;
};

class TelemetryStore {
 public:
  virtual ~TelemetryStore() = default;

  // Stores the batch where it is the next one, and calls `done` with the cursor once it is on disk. A batch that is
  // already there or is not yet wanted changes nothing; the cursor says which batch is wanted. `done` runs on the
  // store's own thread and must not block. Nothing of the batch is stored on
  // RESOURCE_EXHAUSTED/LOG_FULL, RESOURCE_EXHAUSTED/ARTIFACTS_FULL, INVALID_ARGUMENT/BAD_FIELD (a part of an artifact
  // does not continue what is there, or its end does not fit its bytes), RESOURCE_EXHAUSTED/DISK_FULL,
  // RESOURCE_EXHAUSTED/QUEUE_FULL, UNAVAILABLE/STOPPING.
  virtual void AppendAsync(TelemetryBatch batch, std::function<void(absl::StatusOr<TelemetryCursor>)> done) = 0;
  absl::StatusOr<TelemetryCursor> Append(TelemetryBatch batch);

  // The attempt gets no more batches: what is kept for them only is dropped, such as artifacts without an end. `done`
  // as above.
  virtual void EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) = 0;

  // All zero before the first batch.
  virtual absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& attempt) const = 0;
  // At most `limit` bytes from `offset`; fewer at the end.
  virtual absl::StatusOr<std::string> ReadLog(const AttemptId& attempt, int64_t offset, int64_t limit) const = 0;
  // By number.
  virtual absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& attempt) const = 0;
  // The points of a series in a range of steps, by step and, where steps are equal, in the order reported; or what the
  // buckets over them keep, see buckets.h. NOT_FOUND. RESOURCE_EXHAUSTED/TOO_MANY_POINTS: more than kMaxPointsRead
  // would come without buckets.
  virtual absl::StatusOr<SeriesPoints> ReadSeries(const SeriesQuery& query) const = 0;

  // By path; those whose end came.
  virtual absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts(const AttemptId& attempt) const = 0;
  // At most `limit` bytes from `offset`. NOT_FOUND. DATA_LOSS: the bytes are gone.
  virtual absl::StatusOr<v1::ArtifactData> ReadArtifact(const ArtifactId& id, int64_t offset, int64_t limit) const = 0;

  static constexpr int64_t kMaxPointsRead = 100'000;
};

// For the stores. Counts points, in the order reported, that were added to a series.
void CountPoints(std::span<const StepValue> points, v1::Series& series);
// LOG_FULL, ARTIFACTS_FULL and TOO_MANY_POINTS.
absl::Status LogFull(const AttemptId& attempt, const TelemetryLimits& limits);
absl::Status ArtifactsFull(const AttemptId& attempt, const TelemetryLimits& limits);
absl::Status TooManyPoints(const v1::Series& series);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_TELEMETRY_STORE_H_
