#include "storage/sqlite/job_store.h"

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

constexpr char kColumns[] =
    "SELECT id, resource, spec, queued_at, attempt, epoch, token, worker, incarnation, lease_request, revision FROM "
    "jobs ";

std::string Select(const std::string& rest) { return kColumns + rest; }

// Turns rows into records, for Query::ForEach.
auto CollectInto(std::vector<JobRecord>& out) {
  return [&out](const std::string& id, const Bytes& resource, const Bytes& spec, int64_t queued_at, int64_t attempt,
                int64_t epoch, const std::string& token, const std::string& worker, const std::string& incarnation,
                const std::string& request, int64_t revision) -> absl::Status {
    JobRecord& record = out.emplace_back();
    record.id = id;
    if (!record.job.ParseFromString(resource.value)) return BadStoredMessage("job " + id);
    record.spec_json = spec.value;
    record.queued_at = queued_at;
    record.attempt = attempt;
    record.lease = {epoch, token, worker, incarnation, request};
    record.revision = revision;
    return absl::OkStatus();
  };
}

auto CollectAttempts(std::vector<v1::Attempt>& out) {
  return [&out](const Bytes& resource) -> absl::Status {
    if (!out.emplace_back().ParseFromString(resource.value)) return BadStoredMessage("attempt");
    return absl::OkStatus();
  };
}

// One bit for each state, so that one statement serves every set of them.
int64_t StateMask(const std::vector<v1::JobState>& states) {
  int64_t mask = 0;
  for (v1::JobState state : states) mask |= int64_t{1} << state;
  return mask;
}

}  // namespace

SqliteJobStore::SqliteJobStore(soci::session& session)
    : insert_(session,
              "INSERT INTO jobs (id, state, priority, queued_at, resource, spec, attempt, epoch, token, worker, "
              "incarnation, "
              "lease_request, revision) VALUES (:id, :state, :priority, :queued, :resource, :spec, 0, 0, '', '', '', "
              "'', 1)"),
      get_(session, Select("WHERE id = :id")),
      update_(session,
              "UPDATE jobs SET state = :state, priority = :priority, queued_at = :queued, resource = :resource, "
              "attempt = :attempt, epoch = :epoch, token = :token, worker = :worker, incarnation = :incarnation, "
              "lease_request = :request, revision = revision + 1 WHERE id = :id AND revision = :revision"),
      list_(session, Select("WHERE id < :before ORDER BY id DESC LIMIT :limit")),
      list_in_states_(session,
                      Select("WHERE id < :before AND ((:mask >> state) & 1) = 1 ORDER BY id DESC LIMIT :limit")),
      list_queued_(session, Select("WHERE state = 1 ORDER BY priority DESC, queued_at, id LIMIT :limit")),
      list_active_(session, Select("WHERE state IN (2, 3)")),
      list_active_of_(session, Select("WHERE state IN (2, 3) AND worker = :worker")),
      put_attempt_(session,
                   "INSERT INTO attempts (job, number, resource) VALUES (:job, :number, :resource) "
                   "ON CONFLICT (job, number) DO UPDATE SET resource = excluded.resource"),
      get_attempt_(session, "SELECT resource FROM attempts WHERE job = :job AND number = :number"),
      list_attempts_(session, "SELECT resource FROM attempts WHERE job = :job ORDER BY number"),
      count_batch_(
          session,
          "SELECT COUNT(*) FROM measurements WHERE job = :job AND attempt = :attempt AND sequence = :sequence"),
      add_measurement_(session,
                       "INSERT INTO measurements (job, attempt, sequence, ordinal, metric, case_id, resource) VALUES "
                       "(:job, :attempt, :sequence, :ordinal, :metric, :case_id, :resource)"),
      list_measurements_(session,
                         "SELECT sequence, ordinal, resource FROM measurements WHERE job = :job AND attempt = :attempt "
                         "AND (sequence, ordinal) > (:sequence, :ordinal) AND (:metric = '' OR metric = :metric) "
                         "AND (:case_id = '' OR case_id = :case_id) ORDER BY sequence, ordinal LIMIT :limit") {}

absl::Status SqliteJobStore::Insert(const JobRecord& record) {
  return insert_
      .Execute(record.id, record.job.state(), record.job.priority(), record.queued_at,
               Bytes{record.job.SerializeAsString()}, Bytes{record.spec_json})
      .status();
}

absl::StatusOr<JobRecord> SqliteJobStore::Get(const std::string& id) const {
  std::vector<JobRecord> found;
  RETURN_IF_ERROR(get_.ForEach(id, CollectInto(found)));
  if (found.empty()) return NotFound(JobName(id));
  return std::move(found.front());
}

absl::Status SqliteJobStore::Update(JobRecord& record) {
  const LeaseRecord& lease = record.lease;
  ASSIGN_OR_RETURN(const int64_t rows, update_.Execute(record.job.state(), record.job.priority(), record.queued_at,
                                                       Bytes{record.job.SerializeAsString()}, record.attempt,
                                                       lease.epoch, lease.token_sha256, lease.worker, lease.incarnation,
                                                       lease.request_id, record.id, record.revision));
  if (rows == 0) return RevisionChanged(JobName(record.id));
  ++record.revision;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<JobRecord>> SqliteJobStore::List(const std::vector<v1::JobState>& states,
                                                            const std::string& before, int64_t limit) const {
  const std::string bound = before.empty() ? "~" : before;  // `~` sorts after every id.
  std::vector<JobRecord> out;
  if (states.empty()) {
    RETURN_IF_ERROR(list_.ForEach(bound, limit, CollectInto(out)));
  } else {
    RETURN_IF_ERROR(list_in_states_.ForEach(bound, StateMask(states), limit, CollectInto(out)));
  }
  return out;
}

absl::StatusOr<std::vector<JobRecord>> SqliteJobStore::ListQueued(int64_t limit) const {
  std::vector<JobRecord> out;
  RETURN_IF_ERROR(list_queued_.ForEach(limit, CollectInto(out)));
  return out;
}

absl::StatusOr<std::vector<JobRecord>> SqliteJobStore::ListActive(const std::string& worker) const {
  std::vector<JobRecord> out;
  if (worker.empty()) {
    RETURN_IF_ERROR(list_active_.ForEach(CollectInto(out)));
  } else {
    RETURN_IF_ERROR(list_active_of_.ForEach(worker, CollectInto(out)));
  }
  return out;
}

absl::Status SqliteJobStore::PutAttempt(const AttemptId& id, const v1::Attempt& attempt) {
  return put_attempt_.Execute(id.job, id.number, Bytes{attempt.SerializeAsString()}).status();
}

absl::StatusOr<v1::Attempt> SqliteJobStore::GetAttempt(const AttemptId& id) const {
  std::vector<v1::Attempt> found;
  RETURN_IF_ERROR(get_attempt_.ForEach(id.job, id.number, CollectAttempts(found)));
  if (found.empty()) return NotFound(AttemptName(id));
  return std::move(found.front());
}

absl::StatusOr<std::vector<v1::Attempt>> SqliteJobStore::ListAttempts(const std::string& job) const {
  std::vector<v1::Attempt> out;
  RETURN_IF_ERROR(list_attempts_.ForEach(job, CollectAttempts(out)));
  return out;
}

absl::Status SqliteJobStore::AddMeasurements(const AttemptId& attempt, int64_t sequence,
                                             const std::vector<v1::Measurement>& measurements) {
  int64_t stored = 0;
  RETURN_IF_ERROR(count_batch_.ForEach(attempt.job, attempt.number, sequence, [&stored](int64_t count) {
    stored = count;
    return absl::OkStatus();
  }));
  if (stored > 0) return absl::OkStatus();
  int64_t ordinal = 0;
  for (const v1::Measurement& measurement : measurements) {
    RETURN_IF_ERROR(add_measurement_
                        .Execute(attempt.job, attempt.number, sequence, ++ordinal, measurement.metric(),
                                 measurement.case_(), Bytes{measurement.SerializeAsString()})
                        .status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MeasurementRow>> SqliteJobStore::ListMeasurements(const MeasurementQuery& query) const {
  std::vector<MeasurementRow> out;
  RETURN_IF_ERROR(list_measurements_.ForEach(
      query.attempt.job, query.attempt.number, query.after.sequence, query.after.ordinal, query.metric, query.case_id,
      query.limit, [&out](int64_t sequence, int64_t ordinal, const Bytes& resource) -> absl::Status {
        MeasurementRow& row = out.emplace_back();
        row.key = {sequence, ordinal};
        if (!row.measurement.ParseFromString(resource.value)) return BadStoredMessage("measurement");
        return absl::OkStatus();
      }));
  return out;
}

}  // namespace benchwire::storage
