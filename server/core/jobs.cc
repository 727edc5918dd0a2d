#include "server/core/jobs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/base/job_kind.h"
#include "server/base/resource_name.h"
#include "server/base/sha256.h"
#include "server/base/status.h"
#include "server/core/explanation.h"
#include "server/core/job_spec.h"
#include "server/core/lifecycle.h"
#include "server/core/page_token.h"
#include "server/core/scheduling.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

// What a page token of ListMeasurements holds: `sequence:ordinal` of the last row.
absl::StatusOr<storage::MeasurementKey> ReadPlace(const std::string& place) {
  storage::MeasurementKey key;
  if (place.empty()) return key;
  const char* const end = place.data() + place.size();
  auto [colon, error] = std::from_chars(place.data(), end, key.sequence);
  if (error == std::errc() && colon != end && *colon == ':' &&
      std::from_chars(colon + 1, end, key.ordinal).ec == std::errc()) {
    return key;
  }
  return BadField("page_token", place, "the next_page_token of a page with the same filter");
}

std::string ListQuery(const v1::ListJobsRequest& request) {
  std::string query = "ListJobs";
  for (int state : request.states()) query += "," + std::to_string(state);
  return query;
}

absl::Status RefuseUnsatisfiable(const WorkerTable& workers, const v1::Job& job) {
  const auto why = workers.WhyIncapableAll(KindOf(job), job.requirements());
  if (why.empty()) return absl::OkStatus();
  std::string message = "no registered worker could run it:";
  for (const auto& [worker, reason] : why) message += " " + worker + ": " + reason + ";";
  return Precondition("UNSATISFIABLE", message + " set allow_unsatisfiable to queue it all the same",
                      {why.begin(), why.end()});
}

// The parts of a job that its submitter chose, to be submitted again.
v1::Job Again(const v1::Job& job) {
  v1::Job again;
  again.set_display_name(job.display_name());
  *again.mutable_labels() = job.labels();
  CopySpec(job, again);
  again.set_seed(job.seed());
  *again.mutable_requirements() = job.requirements();
  again.set_priority(job.priority());
  *again.mutable_timeout() = job.timeout();
  again.set_max_attempts(job.max_attempts());
  if (job.has_queue_ttl()) *again.mutable_queue_ttl() = job.queue_ttl();
  return again;
}

}  // namespace

Jobs::Jobs(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, Attempts& attempts)
    : environment_(environment), workers_(workers), dispatcher_(dispatcher), attempts_(attempts) {}

v1::Job Jobs::Describe(const storage::JobRecord& record) const {
  v1::Job job = record.job;
  job.set_etag(EtagOf(record.revision));
  if (job.state() == v1::JOB_STATE_RUNNING) {
    if (auto progress = workers_.ProgressOf(AttemptName({record.id, record.attempt})))
      *job.mutable_progress() = *progress;
  }
  return job;
}

absl::StatusOr<v1::Job> Jobs::Insert(v1::Job job, const std::string& method, const std::string& request_id,
                                     const std::string& sha256, const absl::Status& refusal) {
  const WallTime now = environment_.clock.Now();
  storage::JobRecord record;
  record.id = SortableId(now, environment_.random);
  record.queued_at = now.time_since_epoch().count();
  ASSIGN_OR_RETURN(record.spec_json, SpecJson(job));
  job.set_name(JobName(record.id));
  job.set_state(v1::JOB_STATE_QUEUED);
  job.set_spec_digest(Sha256Hex(record.spec_json));
  *job.mutable_create_time() = ToProto(now);
  record.shape = ShapeOf(job);
  record.job = std::move(job);
  record.revision = 1;
  SetExpiry(record, now);
  std::optional<std::string> earlier;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(earlier, FindRequest(tx.requests(), method, request_id, sha256));
    if (earlier) return absl::OkStatus();
    RETURN_IF_ERROR(refusal);
    RETURN_IF_ERROR(tx.jobs().Insert(record));
    RETURN_IF_ERROR(RememberRequest(tx.requests(), method, request_id, sha256, record.job.name()));
    return AppendEvent(tx, v1::EVENT_TYPE_CREATED, record.job.name(), v1::JobState_Name(record.job.state()), now);
  }));
  if (earlier) {
    ASSIGN_OR_RETURN(const std::string id, ParseJobName("name", *earlier));
    return GetById(id);
  }
  dispatcher_.Kick();
  return Describe(record);
}

absl::StatusOr<v1::Job> Jobs::Create(const v1::CreateJobRequest& request, const std::string& submitter) {
  RETURN_IF_ERROR(CheckRequestId("request_id", request.request_id()));
  v1::Job job = request.job();
  RETURN_IF_ERROR(ResolveJob(job, environment_.random));
  const absl::Status refusal = request.allow_unsatisfiable() ? absl::OkStatus() : RefuseUnsatisfiable(workers_, job);
  job.set_submitter(submitter);
  return Insert(std::move(job), "CreateJob", request.request_id(), RequestSha256(request), refusal);
}

absl::StatusOr<v1::Job> Jobs::GetById(const std::string& id) const {
  v1::Job job;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::JobRecord record, view.jobs().Get(id));
    job = Describe(record);
    ASSIGN_OR_RETURN(const auto attempts, view.jobs().ListAttempts(id));
    job.mutable_attempts()->Assign(attempts.begin(), attempts.end());
    return absl::OkStatus();
  }));
  return job;
}

absl::StatusOr<v1::Job> Jobs::Get(const v1::GetJobRequest& request) const {
  ASSIGN_OR_RETURN(const std::string id, ParseJobName("name", request.name()));
  return GetById(id);
}

absl::StatusOr<v1::ListJobsResponse> Jobs::List(const v1::ListJobsRequest& request) const {
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50));
  ASSIGN_OR_RETURN(const std::string before, ReadPageToken(ListQuery(request), request.page_token()));
  std::vector<v1::JobState> states;
  for (int state : request.states()) {
    if (!v1::JobState_IsValid(state) || state == v1::JOB_STATE_UNSPECIFIED) {
      return BadField("states", std::to_string(state), "states of JobState");
    }
    states.push_back(static_cast<v1::JobState>(state));
  }
  v1::ListJobsResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(auto records, view.jobs().List(states, before, size + 1));
    const bool more = records.size() > static_cast<size_t>(size);
    if (more) records.pop_back();
    for (const storage::JobRecord& record : records) *response.add_jobs() = Describe(record);
    if (more) response.set_next_page_token(MakePageToken(ListQuery(request), records.back().id));
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::JobExplanation> Jobs::Explain(const v1::ExplainJobRequest& request) const {
  constexpr int64_t kPerGroup = 128;
  ASSIGN_OR_RETURN(const std::string id, ParseJobName("name", request.name()));
  storage::JobRecord record;
  QueueMoment moment;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(record, view.jobs().Get(id));
    if (record.job.state() != v1::JOB_STATE_QUEUED) return absl::OkStatus();
    ASSIGN_OR_RETURN(moment.places, view.jobs().ListQueuePlaces());
    const int64_t now = environment_.clock.Now().time_since_epoch().count();
    ASSIGN_OR_RETURN(const auto queued, view.jobs().ListQueued(now, kPerGroup));
    moment.standings = workers_.Standings();
    moment.snapshot = dispatcher_.SnapshotOf(queued, moment.standings, dispatcher_.Waiting());
    return absl::OkStatus();
  }));
  return core::Explain(record, moment);
}

absl::StatusOr<v1::Job> Jobs::Cancel(const v1::CancelJobRequest& request) {
  ASSIGN_OR_RETURN(const std::string id, ParseJobName("name", request.name()));
  RETURN_IF_ERROR(CheckLine("reason", request.reason(), 1024));
  storage::JobRecord record;
  bool changed = false;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(record, tx.jobs().Get(id));
    v1::Attempt attempt;
    if (record.attempt > 0) {
      ASSIGN_OR_RETURN(attempt, tx.jobs().GetAttempt({id, record.attempt}));
    }
    const WallTime now = environment_.clock.Now();
    ASSIGN_OR_RETURN(changed, core::Cancel(record, record.attempt > 0 ? &attempt : nullptr, request.reason(), now));
    if (!changed) return absl::OkStatus();
    if (record.attempt > 0) RETURN_IF_ERROR(tx.jobs().PutAttempt({id, record.attempt}, attempt));
    return SaveJob(tx, record, now);
  }));
  const AttemptId attempt{id, record.attempt};
  if (changed && record.job.cancel_requested()) {
    v1::ReportResponse push;
    push.set_attempt(AttemptName(attempt));
    push.set_cancel(true);
    workers_.Push(record.lease.worker, push);
  } else if (changed && record.attempt > 0) {
    attempts_.AfterEnd(attempt, record.lease.worker);
  }
  return GetById(id);
}

absl::StatusOr<v1::Job> Jobs::Retry(const v1::RetryJobRequest& request, const std::string& submitter) {
  ASSIGN_OR_RETURN(const std::string id, ParseJobName("name", request.name()));
  RETURN_IF_ERROR(CheckRequestId("request_id", request.request_id()));
  ASSIGN_OR_RETURN(const v1::Job job, GetById(id));
  if (!IsTerminal(job.state())) {
    return Precondition("NOT_TERMINAL", job.name() + " is " + v1::JobState_Name(job.state()) + "; it has not ended");
  }
  v1::Job again = Again(job);
  again.set_submitter(submitter);
  again.set_retry_of(job.name());
  return Insert(std::move(again), "RetryJob", request.request_id(), RequestSha256(request), absl::OkStatus());
}

absl::StatusOr<v1::ListMeasurementsResponse> Jobs::ListMeasurements(const v1::ListMeasurementsRequest& request) const {
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 100));
  RETURN_IF_ERROR(CheckLine("metric", request.metric(), 128));
  RETURN_IF_ERROR(CheckLine("case", request.case_(), 128));
  const std::string query = "ListMeasurements," + request.parent() + "," + request.metric() + "," + request.case_();
  ASSIGN_OR_RETURN(const std::string place, ReadPageToken(query, request.page_token()));
  storage::MeasurementQuery rows_wanted{
      .attempt = {}, .metric = request.metric(), .case_id = request.case_(), .after = {}, .limit = size + 1};
  ASSIGN_OR_RETURN(rows_wanted.after, ReadPlace(place));
  const bool of_job = request.parent().find("/attempts/") == std::string::npos;
  if (of_job) {
    ASSIGN_OR_RETURN(rows_wanted.attempt.job, ParseJobName("parent", request.parent()));
  } else {
    ASSIGN_OR_RETURN(rows_wanted.attempt, ParseAttemptName("parent", request.parent()));
  }
  v1::ListMeasurementsResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    if (of_job) {
      ASSIGN_OR_RETURN(rows_wanted.attempt, RepresentativeAttempt(view.jobs(), rows_wanted.attempt.job));
    }
    ASSIGN_OR_RETURN(const v1::Attempt attempt, view.jobs().GetAttempt(rows_wanted.attempt));
    if (!IsEnded(attempt.state())) return absl::OkStatus();  // Visible when it has ended.
    ASSIGN_OR_RETURN(auto rows, view.jobs().ListMeasurements(rows_wanted));
    const bool more = rows.size() > static_cast<size_t>(size);
    if (more) rows.pop_back();
    for (storage::MeasurementRow& row : rows) {
      row.measurement.set_name(attempt.name() + "/measurements/" + std::to_string(row.key.sequence) + "-" +
                               std::to_string(row.key.ordinal));
      *response.add_measurements() = std::move(row.measurement);
    }
    if (more) {
      const storage::MeasurementKey& last = rows.back().key;
      response.set_next_page_token(
          MakePageToken(query, std::to_string(last.sequence) + ":" + std::to_string(last.ordinal)));
    }
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<bool> Jobs::ExpireSome() {
  constexpr int64_t kBatch = 256;
  const WallTime now = environment_.clock.Now();
  const int64_t nanos = now.time_since_epoch().count();
  // Looked for in a read first: mostly there is nothing to write.
  bool any = false;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const auto expired, view.jobs().ListExpired(nanos, 1));
    any = !expired.empty();
    return absl::OkStatus();
  }));
  if (!any) return false;
  bool more = false;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(auto expired, tx.jobs().ListExpired(nanos, kBatch));
    for (storage::JobRecord& record : expired) {
      Expire(record, now);
      RETURN_IF_ERROR(SaveJob(tx, record, now));
    }
    more = std::ssize(expired) == kBatch;
    return absl::OkStatus();
  }));
  dispatcher_.Kick();
  return more;
}

void Jobs::ExpireQueued() {
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) more = ExpireSome();
  if (!more.ok()) spdlog::warn("expiring jobs failed, to be tried again: {}", std::string(more.status().message()));
}

absl::StatusOr<AttemptId> RepresentativeAttempt(const storage::JobStore& jobs, const std::string& job) {
  RETURN_IF_ERROR(jobs.Get(job).status());
  ASSIGN_OR_RETURN(const std::vector<v1::Attempt> attempts, jobs.ListAttempts(job));
  std::optional<AttemptId> best;
  for (size_t i = 0; i < attempts.size(); ++i) {
    if (IsEnded(attempts[i].state())) best = {job, static_cast<int64_t>(i + 1)};
    if (attempts[i].state() == v1::ATTEMPT_STATE_SUCCEEDED) return *best;  // There is at most one.
  }
  if (!best) return NotFound(JobName(job) + "/attempts of which one has ended");
  return *best;
}

}  // namespace benchwire::core
