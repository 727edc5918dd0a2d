#include "storage/sqlite/job_store.h"

#include "server/base/clock.h"
#include "server/base/status.h"

namespace benchwire::storage {
namespace {

constexpr char kColumns[] =
    "SELECT id, resource, spec, shape, queued_at, expires_at, attempt, epoch, token, worker, incarnation, "
    "lease_request, revision FROM jobs ";

std::string Select(const std::string& rest) { return kColumns + rest; }

// Turns rows into records, for Query::ForEach.
auto CollectInto(std::vector<JobRecord>& out) {
  return [&out](const std::string& id, const Bytes& resource, const Bytes& spec, const std::string& shape,
                int64_t queued_at, int64_t expires_at, int64_t attempt, int64_t epoch, const std::string& token,
                const std::string& worker, const std::string& incarnation, const std::string& request,
                int64_t revision) -> absl::Status {
    JobRecord& record = out.emplace_back();
    record.id = id;
    if (!record.job.ParseFromString(resource.value)) return BadStoredMessage("job " + id);
    record.spec_json = spec.value;
    record.shape = shape;
    record.queued_at = queued_at;
    record.expires_at = expires_at;
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

int64_t EarliestStart(const v1::Job& job) { return FromProto(job.earliest_start_time()).time_since_epoch().count(); }

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
              "incarnation, lease_request, revision, submitter, shape, earliest_start, expires_at) VALUES (:id, "
              ":state, :priority, :queued, :resource, :spec, 0, 0, '', '', '', '', 1, :submitter, :shape, :earliest, "
              ":expires)"),
      get_(session, Select("WHERE id = :id")),
      update_(session,
              "UPDATE jobs SET state = :state, priority = :priority, queued_at = :queued, earliest_start = :earliest, "
              "expires_at = :expires, resource = :resource, "
              "attempt = :attempt, epoch = :epoch, token = :token, worker = :worker, incarnation = :incarnation, "
              "lease_request = :request, revision = revision + 1 WHERE id = :id AND revision = :revision"),
      list_(session, Select("WHERE id < :before ORDER BY id DESC LIMIT :limit")),
      list_in_states_(session,
                      Select("WHERE id < :before AND ((:mask >> state) & 1) = 1 ORDER BY id DESC LIMIT :limit")),
      next_group_(session,
                  "SELECT priority, submitter, shape FROM jobs INDEXED BY jobs_queued WHERE state = 1 AND (priority, "
                  "submitter, shape) > (:priority, :submitter, :shape) ORDER BY priority, submitter, shape LIMIT 1"),
      list_group_(session,
                  Select("INDEXED BY jobs_queued WHERE state = 1 AND priority = :priority AND submitter = "
                         ":submitter AND shape = :shape AND (earliest_start <= :now OR earliest_start > :beyond) "
                         "ORDER BY queued_at, id LIMIT :limit")),
      next_earliest_start_(session,
                           "SELECT COALESCE(MIN(earliest_start), 0) FROM jobs INDEXED BY jobs_delayed WHERE state = 1 "
                           "AND earliest_start > 0 AND earliest_start > :now"),
      list_places_(session, "SELECT id, priority, queued_at FROM jobs INDEXED BY jobs_queued WHERE state = 1"),
      list_expired_(session, Select("INDEXED BY jobs_expiring WHERE state = 1 AND expires_at > 0 AND expires_at <= "
                                    ":now ORDER BY expires_at, id LIMIT :limit")),
      list_active_(session, Select("WHERE state IN (2, 3)")),
      list_active_of_(session, Select("WHERE state IN (2, 3) AND worker = :worker")),
      put_attempt_(session,
                   "INSERT INTO attempts (job, number, resource) VALUES (:job, :number, :resource) "
                   "ON CONFLICT (job, number) DO UPDATE SET resource = excluded.resource"),
      get_attempt_(session, "SELECT resource FROM attempts WHERE job = :job AND number = :number"),
      list_attempts_(session, "SELECT resource FROM attempts WHERE job = :job ORDER BY number"),
      put_lost_lease_(session,
                      "INSERT INTO lost_leases (job, attempt, token) VALUES (:job, :attempt, :token) "
                      "ON CONFLICT (job, attempt) DO UPDATE SET token = excluded.token"),
      get_lost_lease_(session, "SELECT token FROM lost_leases WHERE job = :job AND attempt = :attempt"),
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
               Bytes{record.job.SerializeAsString()}, Bytes{record.spec_json}, record.job.submitter(), record.shape,
               EarliestStart(record.job), record.expires_at)
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
  ASSIGN_OR_RETURN(const int64_t rows,
                   update_.Execute(record.job.state(), record.job.priority(), record.queued_at,
                                   EarliestStart(record.job), record.expires_at, Bytes{record.job.SerializeAsString()},
                                   record.attempt, lease.epoch, lease.token_sha256, lease.worker, lease.incarnation,
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

// Goes from group to group of the index, so that the rows between are not read.
absl::StatusOr<std::vector<JobRecord>> SqliteJobStore::ListQueued(int64_t now, int64_t per_group) const {
  std::vector<JobRecord> out;
  GroupRow group{-1, "", ""};
  while (true) {
    bool more = false;
    RETURN_IF_ERROR(next_group_.ForEach(std::get<0>(group), std::get<1>(group), std::get<2>(group),
                                        [&](int64_t priority, const std::string& submitter, const std::string& shape) {
                                          group = {priority, submitter, shape};
                                          more = true;
                                          return absl::OkStatus();
                                        }));
    if (!more) return out;
    RETURN_IF_ERROR(list_group_.ForEach(std::get<0>(group), std::get<1>(group), std::get<2>(group), now,
                                        now + kLongestDelay.count(), per_group, CollectInto(out)));
  }
}

absl::StatusOr<int64_t> SqliteJobStore::NextEarliestStart(int64_t now) const {
  int64_t out = 0;
  RETURN_IF_ERROR(next_earliest_start_.ForEach(now, [&out](int64_t time) {
    out = time;
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::vector<QueuePlace>> SqliteJobStore::ListQueuePlaces() const {
  std::vector<QueuePlace> out;
  RETURN_IF_ERROR(list_places_.ForEach([&out](const std::string& id, int64_t priority, int64_t queued_at) {
    out.push_back({id, priority, queued_at});
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::vector<JobRecord>> SqliteJobStore::ListExpired(int64_t now, int64_t limit) const {
  std::vector<JobRecord> out;
  RETURN_IF_ERROR(list_expired_.ForEach(now, limit, CollectInto(out)));
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

absl::Status SqliteJobStore::PutLostLease(const AttemptId& id, const std::string& token_sha256) {
  return put_lost_lease_.Execute(id.job, id.number, token_sha256).status();
}

absl::StatusOr<std::string> SqliteJobStore::GetLostLease(const AttemptId& id) const {
  std::string out;
  RETURN_IF_ERROR(get_lost_lease_.ForEach(id.job, id.number, [&out](const std::string& token) {
    out = token;
    return absl::OkStatus();
  }));
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
