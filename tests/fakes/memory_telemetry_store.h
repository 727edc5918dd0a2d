// The telemetry store in memory, for tests of what stands on it. It passes the conformance suite of the stores. Any
// thread; `done` runs in the caller's thread.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_TELEMETRY_STORE_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_TELEMETRY_STORE_H_

#include <map>
#include <string>
#include <vector>

#include "server/base/mutex.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

class MemoryTelemetryStore final : public TelemetryStore {
 public:
  explicit MemoryTelemetryStore(const TelemetryLimits& limits = {}) : limits_(limits) {}

  void AppendAsync(TelemetryBatch batch, std::function<void(absl::StatusOr<TelemetryCursor>)> done) override;
  void EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) override;
  absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& attempt) const override;
  absl::StatusOr<std::string> ReadLog(const AttemptId& attempt, int64_t offset, int64_t limit) const override;
  absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& attempt) const override;
  absl::StatusOr<SeriesPoints> ReadSeries(const SeriesQuery& query) const override;
  absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts(const AttemptId& attempt) const override;
  absl::StatusOr<v1::ArtifactData> ReadArtifact(const ArtifactId& id, int64_t offset, int64_t limit) const override;

 private:
  struct Content {
    v1::Artifact artifact;
    std::string bytes;
  };
  struct Telemetry {
    TelemetryCursor cursor;
    std::string log;
    std::vector<SeriesPoints> series;        // By number, from 1.
    std::map<std::string, Content> uploads;  // By path.
    std::vector<Content> artifacts;          // By number, from 1.
  };

  absl::StatusOr<TelemetryCursor> AppendNow(const TelemetryBatch& batch);
  absl::Status AppendChunk(const AttemptId& attempt, const v1::ArtifactChunk& chunk, Telemetry& telemetry) const;
  void AppendPoints(const AttemptId& attempt, const PointGroup& group, Telemetry& telemetry) const;

  const TelemetryLimits limits_;
  mutable Mutex mutex_;
  std::map<AttemptId, Telemetry> attempts_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_TELEMETRY_STORE_H_
