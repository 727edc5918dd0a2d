// Logs, series and artifacts of attempts, as readers see them.
#ifndef BENCHWIRE_SERVER_CORE_TELEMETRY_H_
#define BENCHWIRE_SERVER_CORE_TELEMETRY_H_

#include <benchwire/v1/job_service.pb.h>

#include <functional>

#include "absl/status/statusor.h"
#include "server/core/environment.h"
#include "server/core/wait_list.h"

namespace benchwire::core {

class Telemetry {
 public:
  using LogCallback = std::function<void(absl::StatusOr<v1::LogChunk>)>;

  // `waits`: is notified with an attempt's name when its log grows or it ends.
  Telemetry(CoreEnvironment environment, WaitList& waits) : environment_(environment), waits_(waits) {}

  absl::StatusOr<v1::LogChunk> ReadLog(const v1::ReadLogRequest& request) const;
  // NOT_FOUND, INVALID_ARGUMENT: checks what a watch asks for before it begins.
  absl::StatusOr<AttemptId> BeginLogWatch(const v1::WatchLogRequest& request) const;
  // Calls back once, on the wait list's thread, with bytes from `offset` or with the end. UNAVAILABLE/STOPPING.
  WaitList::Id NextLog(const AttemptId& attempt, int64_t offset, LogCallback callback);

  absl::StatusOr<v1::ListSeriesResponse> ListSeries(const v1::ListSeriesRequest& request) const;
  absl::StatusOr<v1::SeriesData> GetSeries(const v1::GetSeriesRequest& request) const;

  absl::StatusOr<v1::ListArtifactsResponse> ListArtifacts(const v1::ListArtifactsRequest& request) const;
  absl::StatusOr<v1::ArtifactData> ReadArtifact(const v1::ReadArtifactRequest& request) const;

 private:
  // Bytes from an offset; `end` where the attempt has ended and these are the last.
  absl::StatusOr<v1::LogChunk> Read(const AttemptId& attempt, int64_t offset, int64_t limit) const;
  absl::StatusOr<bool> HasEnded(const AttemptId& attempt) const;

  CoreEnvironment environment_;
  WaitList& waits_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_TELEMETRY_H_
