// Logs and series of attempts, kept apart from the main store so that a flood never delays job state. Batches are
// numbered; a batch is stored once, in order. Any thread.
#ifndef BENCHWIRE_STORAGE_TELEMETRY_STORE_H_
#define BENCHWIRE_STORAGE_TELEMETRY_STORE_H_

#include <benchwire/v1/job_service.pb.h>
#include <benchwire/v1/runner.pb.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/resource_name.h"

namespace benchwire::storage {

struct TelemetryBatch {
  AttemptId attempt;
  int64_t sequence = 0;  // From 1.
  std::string log;
  std::vector<v1::Point> points;
};

// How far the telemetry of an attempt has come.
struct TelemetryCursor {
  int64_t last_sequence = 0;
  int64_t log_bytes = 0;
};

struct SeriesQuery {
  AttemptId attempt;
  int64_t series = 0;  // Its number in the attempt, from 1.
  int64_t first_step = 0;
  int64_t last_step = INT64_MAX;
};

class TelemetryStore {
 public:
  virtual ~TelemetryStore() = default;

  // Stores the batch where it is the next one, and calls `done` with the cursor once it is on disk. A batch that is
  // already there or is not yet wanted changes nothing; the cursor says which batch is wanted. `done` runs on the
  // store's own thread and must not block. RESOURCE_EXHAUSTED/DISK_FULL, RESOURCE_EXHAUSTED/QUEUE_FULL,
  // UNAVAILABLE/STOPPING.
  virtual void AppendAsync(TelemetryBatch batch, std::function<void(absl::StatusOr<TelemetryCursor>)> done) = 0;
  absl::StatusOr<TelemetryCursor> Append(TelemetryBatch batch);

  // All zero before the first batch.
  virtual absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& attempt) const = 0;
  // At most `limit` bytes from `offset`; fewer at the end.
  virtual absl::StatusOr<std::string> ReadLog(const AttemptId& attempt, int64_t offset, int64_t limit) const = 0;
  // By number.
  virtual absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& attempt) const = 0;
  // Points in the order reported.
  virtual absl::StatusOr<std::vector<v1::SeriesPoint>> ReadSeries(const SeriesQuery& query) const = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_TELEMETRY_STORE_H_
