#include "server/core/attempts.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/base/job_kind.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "server/core/job_spec.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

// Workers of the job's earlier attempts that were lost.
absl::StatusOr<std::vector<std::string>> LostWorkers(const storage::JobStore& jobs, const std::string& job) {
  ASSIGN_OR_RETURN(const std::vector<v1::Attempt> attempts, jobs.ListAttempts(job));
  std::vector<std::string> out;
  for (const v1::Attempt& attempt : attempts) {
    if (attempt.state() == v1::ATTEMPT_STATE_WORKER_LOST) out.push_back(attempt.worker());
  }
  return out;
}

// What of a report goes into the telemetry store, checked; as are the measurements.
absl::StatusOr<storage::TelemetryBatch> CheckReport(const v1::ReportRequest& request) {
  storage::TelemetryBatch batch;
  ASSIGN_OR_RETURN(batch.attempt, ParseAttemptName("fence.attempt", request.fence().attempt()));
  RETURN_IF_ERROR(CheckRange("sequence", request.sequence(), 0, INT64_MAX));
  for (const v1::Measurement& row : request.measurements()) RETURN_IF_ERROR(CheckMeasurement(row));
  RETURN_IF_ERROR(CheckArtifacts(request.artifacts()));
  batch.artifacts = {request.artifacts().begin(), request.artifacts().end()};
  batch.points = storage::GroupPoints(request.points());
  for (const storage::PointGroup& group : batch.points) RETURN_IF_ERROR(CheckPoints(group));
  batch.sequence = request.sequence();
  batch.log = request.log();
  return batch;
}

absl::Status CheckComplete(const v1::CompleteAttemptRequest& request) {
  if (!v1::AttemptOutcome_IsValid(request.outcome()) || request.outcome() == v1::ATTEMPT_OUTCOME_UNSPECIFIED) {
    return BadField("outcome", std::to_string(request.outcome()), "an outcome");
  }
  RETURN_IF_ERROR(CheckRange("last_sequence", request.last_sequence(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckLine("runner_version", request.runner_version(), 64));
  RETURN_IF_ERROR(CheckMessage("reason", request.reason().code(), request.reason().message()));
  RETURN_IF_ERROR(CheckEnvironment(request.environment()));
  return CheckWarnings(request.warnings());
}

void WarnOfDroppedPoints(const storage::TelemetryCursor& cursor, v1::Attempt& attempt) {
  if (cursor.dropped_points == 0) return;
  v1::RunnerMessage* warning = attempt.add_warnings();
  warning->set_code("POINTS_DROPPED");
  warning->set_message(std::to_string(cursor.dropped_points) +
                       " points were not stored: the attempt reported more than " + "the server keeps of one, " +
                       std::to_string(cursor.points) + " points are kept");
}

v1::LateReport LateReportOf(const v1::CompleteAttemptRequest& request, const v1::Job& job, WallTime now) {
  v1::LateReport late;
  *late.mutable_receive_time() = ToProto(now);
  const Ending ending = EndingOf(request);
  late.set_state(ending.state);
  if (!ending.reason.code().empty()) *late.mutable_reason() = ending.reason;
  if (request.has_exit_code()) late.set_exit_code(request.exit_code());
  *late.mutable_environment() = request.environment();
  *late.mutable_warnings() = request.warnings();
  if (ResultFits(job, request.result())) *late.mutable_result() = request.result();
  late.set_runner_version(request.runner_version());
  return late;
}

std::shared_ptr<const v1::ReportRequest> WithoutMeasurements(v1::ReportRequest request) {
  request.clear_measurements();
  return std::make_shared<const v1::ReportRequest>(std::move(request));
}

}  // namespace

Attempts::Attempts(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, WaitList& waits)
    : environment_(environment), workers_(workers), dispatcher_(dispatcher), waits_(waits) {}

absl::Status Attempts::Start(const v1::StartAttemptRequest& request) {
  RETURN_IF_ERROR(workers_.Heard(request.session()).status());
  ASSIGN_OR_RETURN(const AttemptId id, ParseAttemptName("fence.attempt", request.fence().attempt()));
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(storage::JobRecord record, tx.jobs().Get(id.job));
    RETURN_IF_ERROR(CheckFence(record, request.fence()));
    ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt(id));
    const bool running = attempt.state() == v1::ATTEMPT_STATE_RUNNING;
    const WallTime now = environment_.clock.Now();
    RETURN_IF_ERROR(core::Start(record, attempt, now));
    if (running) return absl::OkStatus();
    RETURN_IF_ERROR(tx.jobs().PutAttempt(id, attempt));
    return SaveJob(tx, record, now);
  }));
  dispatcher_.Settle(id);
  return absl::OkStatus();
}

absl::Status Attempts::StoreMeasurements(storage::Transaction& tx, const AttemptId& id,
                                         const v1::ReportRequest& request, v1::ReportResponse& response) {
  ASSIGN_OR_RETURN(const storage::JobRecord record, tx.jobs().Get(id.job));
  RETURN_IF_ERROR(CheckFence(record, request.fence()));
  if (record.job.state() != v1::JOB_STATE_RUNNING) {
    return Precondition("STALE_LEASE", request.fence().attempt() + " is not running",
                        {{"attempt", request.fence().attempt()}});
  }
  response.set_cancel(record.job.cancel_requested());
  if (request.measurements().empty()) return absl::OkStatus();
  return tx.jobs().AddMeasurements(id, request.sequence(),
                                   {request.measurements().begin(), request.measurements().end()});
}

void Attempts::Report(std::shared_ptr<const v1::ReportRequest> request, ReportCallback callback) {
  absl::StatusOr<storage::TelemetryBatch> checked = CheckReport(*request);
  if (!checked.ok()) return callback(checked.status());
  auto batch = std::make_shared<storage::TelemetryBatch>(*std::move(checked));
  auto response = std::make_shared<v1::ReportResponse>();
  response->set_attempt(AttemptName(batch->attempt));
  if (!request->measurements().empty()) {
    // A batch beyond the next one is refused below; its measurements must not stay.
    const absl::StatusOr<storage::TelemetryCursor> cursor = environment_.telemetry.GetCursor(batch->attempt);
    if (!cursor.ok()) return callback(cursor.status());
    if (request->sequence() > cursor->last_sequence + 1) request = WithoutMeasurements(*request);
  }
  // The fence and the measurements first: a batch counts as stored once the telemetry store has it, and a repeated
  // batch finds its measurements there already.
  environment_.store.WriteAsync(
      [this, request, response, id = batch->attempt](storage::Transaction& tx) {
        return StoreMeasurements(tx, id, *request, *response);
      },
      [this, request, response, batch, callback = std::move(callback)](const absl::Status& stored) {
        if (!stored.ok()) return callback(stored);
        if (request->has_progress()) workers_.SetProgress(response->attempt(), request->progress());
        if (request->sequence() == 0) return callback(*response);
        environment_.telemetry.AppendAsync(std::move(*batch),
                                           [this, response, callback](absl::StatusOr<storage::TelemetryCursor> cursor) {
                                             if (!cursor.ok()) return callback(cursor.status());
                                             waits_.Notify(response->attempt());
                                             response->set_acknowledged_sequence(cursor->last_sequence);
                                             response->set_next_sequence(cursor->last_sequence + 1);
                                             callback(*response);
                                           });
      });
}

absl::StatusOr<bool> Attempts::CompleteInTransaction(storage::Transaction& tx,
                                                     const v1::CompleteAttemptRequest& request, const AttemptId& id,
                                                     const storage::TelemetryCursor& cursor,
                                                     storage::JobRecord& record) {
  ASSIGN_OR_RETURN(record, tx.jobs().Get(id.job));
  RETURN_IF_ERROR(CheckFence(record, request.fence()));
  ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt(id));
  if (IsEnded(attempt.state())) return false;  // Said before; the answer is the same.
  // A released one may not even have started, and what it reported is of no use.
  if (request.outcome() != v1::ATTEMPT_OUTCOME_RELEASED && request.last_sequence() > cursor.last_sequence) {
    return Precondition("MISSING_REPORTS",
                        "batches up to " + std::to_string(request.last_sequence()) + " were sent, " +
                            std::to_string(cursor.last_sequence) + " are stored",
                        {{"next_sequence", std::to_string(cursor.last_sequence + 1)}});
  }
  const bool succeeded = request.outcome() == v1::ATTEMPT_OUTCOME_SUCCEEDED;
  if (succeeded && attempt.state() != v1::ATTEMPT_STATE_RUNNING) {
    return Precondition("NOT_STARTED", attempt.name() + " was not started");
  }
  if (succeeded && !ResultFits(record.job, request.result())) {
    return BadField("result", "of another kind or none", "a result of kind " + KindOf(record.job));
  }
  if (succeeded) *attempt.mutable_result() = request.result();
  if (request.has_exit_code()) attempt.set_exit_code(request.exit_code());
  *attempt.mutable_environment() = request.environment();
  *attempt.mutable_warnings() = request.warnings();
  WarnOfDroppedPoints(cursor, attempt);
  attempt.set_runner_version(request.runner_version());
  attempt.set_log_bytes(cursor.log_bytes);
  attempt.set_log_truncated(request.log_truncated());
  const WallTime now = environment_.clock.Now();
  ASSIGN_OR_RETURN(const std::vector<std::string> lost, LostWorkers(tx.jobs(), id.job));
  End(record, attempt, EndingOf(request), lost, now, environment_.random);
  RETURN_IF_ERROR(tx.jobs().PutAttempt(id, attempt));
  RETURN_IF_ERROR(SaveJob(tx, record, now));
  return true;
}

void Attempts::NoteEnd(const std::string& worker, const std::string& job, AttemptVerdict verdict) {
  if (workers_.NoteEnd(worker, job, verdict)) {
    spdlog::warn("worker sick worker={} reason=\"runners of {} jobs crashed there one after the other\"", worker,
                 kCrashesToBeSick);
  }
}

absl::Status Attempts::KeepLate(const v1::CompleteAttemptRequest& request, const AttemptId& id) {
  return environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const std::string token, tx.jobs().GetLostLease(id));
    if (!HoldsToken(request.fence(), token)) return absl::OkStatus();
    ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt(id));
    ASSIGN_OR_RETURN(const storage::JobRecord record, tx.jobs().Get(id.job));
    if (attempt.has_late_report()) return absl::OkStatus();
    const WallTime now = environment_.clock.Now();
    *attempt.mutable_late_report() = LateReportOf(request, record.job, now);
    RETURN_IF_ERROR(tx.jobs().PutAttempt(id, attempt));
    spdlog::warn("late report kept attempt={} outcome={}", AttemptName(id), v1::AttemptOutcome_Name(request.outcome()));
    return AppendEvent(tx, v1::EVENT_TYPE_UPDATED, AttemptName(id), v1::AttemptState_Name(attempt.state()), now);
  });
}

absl::StatusOr<v1::CompleteAttemptResponse> Attempts::Complete(const v1::CompleteAttemptRequest& request) {
  ASSIGN_OR_RETURN(const AttemptId id, ParseAttemptName("fence.attempt", request.fence().attempt()));
  RETURN_IF_ERROR(CheckComplete(request));
  ASSIGN_OR_RETURN(const storage::TelemetryCursor cursor, environment_.telemetry.GetCursor(id));
  storage::JobRecord record;
  bool ended = false;
  const absl::Status status = environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(ended, CompleteInTransaction(tx, request, id, cursor, record));
    return absl::OkStatus();
  });
  if (ErrorReason(status) == "STALE_LEASE") RETURN_IF_ERROR(KeepLate(request, id));
  RETURN_IF_ERROR(status);
  if (ended) NoteEnd(record.lease.worker, id.job, VerdictOf(request));
  AfterEnd(id, record.lease.worker);
  v1::CompleteAttemptResponse response;
  response.set_job_state(record.job.state());
  return response;
}

absl::Status Attempts::EndInTransaction(storage::Transaction& tx, const AttemptId& id, const Ending& ending) {
  ASSIGN_OR_RETURN(storage::JobRecord record, tx.jobs().Get(id.job));
  ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt(id));
  if (record.attempt != id.number || IsEnded(attempt.state())) return absl::OkStatus();
  if (ending.state == v1::ATTEMPT_STATE_WORKER_LOST) {
    RETURN_IF_ERROR(tx.jobs().PutLostLease(id, record.lease.token_sha256));
  }
  const WallTime now = environment_.clock.Now();
  ASSIGN_OR_RETURN(const std::vector<std::string> lost, LostWorkers(tx.jobs(), id.job));
  End(record, attempt, ending, lost, now, environment_.random);
  record.lease.token_sha256.clear();  // The server ended it: whatever its worker still sends is stale.
  RETURN_IF_ERROR(tx.jobs().PutAttempt(id, attempt));
  return SaveJob(tx, record, now);
}

void Attempts::AfterEnd(const AttemptId& attempt, const std::string& worker) {
  dispatcher_.Settle(attempt);
  workers_.RemoveGrant(worker, attempt);
  environment_.telemetry.EndAttemptAsync(attempt, [name = AttemptName(attempt)](const absl::Status& status) {
    // What stays is of no use and small: it goes when the attempt's telemetry does.
    if (!status.ok()) spdlog::warn("tidying up after {} failed: {}", name, std::string(status.message()));
  });
  workers_.ClearProgress(AttemptName(attempt));
  waits_.Notify(AttemptName(attempt));
  dispatcher_.Kick();
}

void Attempts::ReleaseOverdue() {
  for (const AttemptId& id : dispatcher_.Overdue()) {
    Ending ending;
    ending.state = v1::ATTEMPT_STATE_RELEASED;
    ending.reason.set_code("NOT_STARTED");
    ending.reason.set_message("the worker did not start it in time");
    std::string worker;
    bool overdue = false;
    const absl::Status status = environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
      ASSIGN_OR_RETURN(const storage::JobRecord record, tx.jobs().Get(id.job));
      overdue = record.attempt == id.number && record.job.state() == v1::JOB_STATE_ASSIGNED;
      worker = record.lease.worker;
      return overdue ? EndInTransaction(tx, id, ending) : absl::OkStatus();
    });
    if (!status.ok()) {
      spdlog::warn("taking back {} failed, to be tried again: {}", AttemptName(id), std::string(status.message()));
    } else if (overdue) {
      AfterEnd(id, worker);
    } else {
      dispatcher_.Settle(id);
    }
  }
}

}  // namespace benchwire::core
