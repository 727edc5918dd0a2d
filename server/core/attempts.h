// What workers say about the attempts they hold, and the ends the server itself gives to attempts. Every write is
// fenced: see CheckFence in lifecycle.h.
#ifndef BENCHWIRE_SERVER_CORE_ATTEMPTS_H_
#define BENCHWIRE_SERVER_CORE_ATTEMPTS_H_

#include <benchwire/v1/agent_service.pb.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/core/dispatcher.h"
#include "server/core/environment.h"
#include "server/core/lifecycle.h"
#include "server/core/wait_list.h"
#include "server/core/worker_table.h"
#include "storage/series/point_groups.h"

namespace benchwire::core {

class Attempts {
 public:
  using ReportCallback = std::function<void(absl::StatusOr<v1::ReportResponse>)>;

  // `waits`: notified with an attempt's name when its log grows or it ends.
  Attempts(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, WaitList& waits);

  // STALE_SESSION, STALE_LEASE, CANCELLED. Blocks until it is on disk.
  absl::Status Start(const v1::StartAttemptRequest& request);

  // Stores one batch and calls back once it is on disk, on a store's thread. STALE_LEASE, INVALID_ARGUMENT,
  // RESOURCE_EXHAUSTED.
  void Report(std::shared_ptr<const v1::ReportRequest> request, ReportCallback callback);

  // MISSING_REPORTS, STALE_LEASE, INVALID_ARGUMENT. Blocks until it is on disk. With STALE_LEASE the first report of an
  // attempt that was given up is kept as its late_report.
  absl::StatusOr<v1::CompleteAttemptResponse> Complete(const v1::CompleteAttemptRequest& request);

  // Ends the attempt, in a transaction, where it is still the job's latest and has not ended; otherwise changes
  // nothing.
  absl::Status EndInTransaction(storage::Transaction& tx, const AttemptId& attempt, const Ending& ending);
  // Forgets what is kept in memory for an attempt that has ended, and lets others have its place.
  void AfterEnd(const AttemptId& attempt, const std::string& worker);

  // Takes back leases that were not started in time.
  void ReleaseOverdue();

 private:
  absl::Status StoreMeasurements(storage::Transaction& tx, const AttemptId& id, const v1::ReportRequest& request,
                                 v1::ReportResponse& response);
  // Returns whether it ended by this call; false where it had ended before.
  absl::StatusOr<bool> CompleteInTransaction(storage::Transaction& tx, const v1::CompleteAttemptRequest& request,
                                             const AttemptId& id, const storage::TelemetryCursor& cursor,
                                             storage::JobRecord& record);
  absl::Status KeepLate(const v1::CompleteAttemptRequest& request, const AttemptId& id);
  // Counts the end of an attempt for or against its worker.
  void NoteEnd(const std::string& worker, const std::string& job, AttemptVerdict verdict);

  CoreEnvironment environment_;
  WorkerTable& workers_;
  Dispatcher& dispatcher_;
  WaitList& waits_;
};

// What parts of a report or a completion must be: INVALID_ARGUMENT naming the field.
absl::Status CheckMeasurement(const v1::Measurement& measurement);
// Points of one series.
absl::Status CheckPoints(const storage::PointGroup& group);
absl::Status CheckArtifacts(const google::protobuf::RepeatedPtrField<v1::ArtifactChunk>& chunks);
// A code of at most 64 bytes with a message.
absl::Status CheckMessage(const std::string& field, const std::string& code, const std::string& message);
absl::Status CheckEnvironment(const google::protobuf::Map<std::string, std::string>& facts);
absl::Status CheckWarnings(const google::protobuf::RepeatedPtrField<v1::RunnerMessage>& warnings);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_ATTEMPTS_H_
