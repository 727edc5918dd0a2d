#include "tests/fakes/memory_store_jobs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "server/base/clock.h"
#include "server/base/status.h"

namespace benchwire::storage {
namespace {

bool IsActive(const JobRecord& record) {
  return record.job.state() == v1::JOB_STATE_ASSIGNED || record.job.state() == v1::JOB_STATE_RUNNING;
}

bool IsQueued(const JobRecord& record) { return record.job.state() == v1::JOB_STATE_QUEUED; }

int64_t EarliestStart(const JobRecord& record) {
  return FromProto(record.job.earliest_start_time()).time_since_epoch().count();
}

}  // namespace

absl::Status MemoryJobStore::Insert(const JobRecord& record) {
  if (jobs_.Find(record.id) != nullptr) {
    return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", JobName(record.id) + " exists");
  }
  JobRecord stored = record;
  stored.attempt = 0;
  stored.lease = {};
  stored.revision = 1;
  jobs_.Put(record.id, std::move(stored));
  return absl::OkStatus();
}

absl::StatusOr<JobRecord> MemoryJobStore::Get(const std::string& id) const {
  const JobRecord* found = jobs_.Find(id);
  if (found == nullptr) return NotFound(JobName(id));
  return *found;
}

absl::Status MemoryJobStore::Update(JobRecord& record) {
  const JobRecord* found = jobs_.Find(record.id);
  if (found == nullptr || found->revision != record.revision) return RevisionChanged(JobName(record.id));
  JobRecord stored = record;
  stored.spec_json = found->spec_json;
  stored.shape = found->shape;
  ++stored.revision;
  jobs_.Put(record.id, std::move(stored));
  ++record.revision;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<JobRecord>> MemoryJobStore::List(const std::vector<v1::JobState>& states,
                                                            const std::string& before, int64_t limit) const {
  std::vector<JobRecord> out;
  auto row = before.empty() ? jobs_.rows().end() : jobs_.rows().lower_bound(before);
  while (row != jobs_.rows().begin() && std::ssize(out) < limit) {
    --row;
    const JobRecord& record = *row->second;
    if (states.empty() || std::find(states.begin(), states.end(), record.job.state()) != states.end()) {
      out.push_back(record);
    }
  }
  return out;
}

absl::StatusOr<std::vector<JobRecord>> MemoryJobStore::ListQueued(int64_t now, int64_t per_group) const {
  using Group = std::tuple<int, std::string, std::string>;
  std::map<Group, std::map<std::pair<int64_t, std::string>, const JobRecord*>> groups;
  for (const auto& [id, record] : jobs_.rows()) {
    const int64_t start = EarliestStart(*record);
    if (!IsQueued(*record) || (start > now && start <= now + kLongestDelay.count())) continue;
    groups[{record->job.priority(), record->job.submitter(), record->shape}][{record->queued_at, id}] = record.get();
  }
  std::vector<JobRecord> out;
  for (const auto& [group, jobs] : groups) {
    int64_t left = per_group;
    for (auto job = jobs.begin(); job != jobs.end() && left > 0; ++job, --left) out.push_back(*job->second);
  }
  return out;
}

absl::StatusOr<int64_t> MemoryJobStore::NextEarliestStart(int64_t now) const {
  int64_t out = 0;
  for (const auto& [id, record] : jobs_.rows()) {
    const int64_t start = EarliestStart(*record);
    if (IsQueued(*record) && start > now && (out == 0 || start < out)) out = start;
  }
  return out;
}

absl::StatusOr<std::vector<QueuePlace>> MemoryJobStore::ListQueuePlaces() const {
  std::vector<QueuePlace> out;
  for (const auto& [id, record] : jobs_.rows()) {
    if (IsQueued(*record)) out.push_back({id, record->job.priority(), record->queued_at});
  }
  return out;
}

absl::StatusOr<std::vector<JobRecord>> MemoryJobStore::ListExpired(int64_t now, int64_t limit) const {
  std::map<std::pair<int64_t, std::string>, const JobRecord*> expired;
  for (const auto& [id, record] : jobs_.rows()) {
    if (IsQueued(*record) && record->expires_at > 0 && record->expires_at <= now) {
      expired[{record->expires_at, id}] = record.get();
    }
  }
  std::vector<JobRecord> out;
  for (auto job = expired.begin(); job != expired.end() && std::ssize(out) < limit; ++job) out.push_back(*job->second);
  return out;
}

absl::StatusOr<std::vector<JobRecord>> MemoryJobStore::ListActive(const std::string& worker) const {
  std::vector<JobRecord> out;
  for (const auto& [id, record] : jobs_.rows()) {
    if (IsActive(*record) && (worker.empty() || record->lease.worker == worker)) out.push_back(*record);
  }
  return out;
}

absl::Status MemoryJobStore::PutAttempt(const AttemptId& id, const v1::Attempt& attempt) {
  if (jobs_.Find(id.job) == nullptr) return NotFound(JobName(id.job));
  attempts_.Put(id, attempt);
  return absl::OkStatus();
}

absl::StatusOr<v1::Attempt> MemoryJobStore::GetAttempt(const AttemptId& id) const {
  const v1::Attempt* found = attempts_.Find(id);
  if (found == nullptr) return NotFound(AttemptName(id));
  return *found;
}

absl::StatusOr<std::vector<v1::Attempt>> MemoryJobStore::ListAttempts(const std::string& job) const {
  std::vector<v1::Attempt> out;
  for (auto row = attempts_.rows().lower_bound({job, 0}); row != attempts_.rows().end() && row->first.job == job;
       ++row) {
    out.push_back(*row->second);
  }
  return out;
}

absl::Status MemoryJobStore::PutLostLease(const AttemptId& id, const std::string& token_sha256) {
  if (jobs_.Find(id.job) == nullptr) return NotFound(JobName(id.job));
  lost_leases_.Put(id, token_sha256);
  return absl::OkStatus();
}

absl::StatusOr<std::string> MemoryJobStore::GetLostLease(const AttemptId& id) const {
  const std::string* found = lost_leases_.Find(id);
  return found == nullptr ? std::string() : *found;
}

absl::Status MemoryJobStore::AddMeasurements(const AttemptId& attempt, int64_t sequence,
                                             const std::vector<v1::Measurement>& measurements) {
  if (measurements.empty() || measurements_.Find({attempt, {sequence, 1}}) != nullptr) return absl::OkStatus();
  if (jobs_.Find(attempt.job) == nullptr) return NotFound(JobName(attempt.job));
  int64_t ordinal = 0;
  for (const v1::Measurement& measurement : measurements) {
    measurements_.Put({attempt, {sequence, ++ordinal}}, measurement);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MeasurementRow>> MemoryJobStore::ListMeasurements(const MeasurementQuery& query) const {
  std::vector<MeasurementRow> out;
  for (auto row = measurements_.rows().upper_bound({query.attempt, query.after});
       row != measurements_.rows().end() && row->first.first == query.attempt && std::ssize(out) < query.limit; ++row) {
    const v1::Measurement& measurement = *row->second;
    if (!query.metric.empty() && measurement.metric() != query.metric) continue;
    if (!query.case_id.empty() && measurement.case_() != query.case_id) continue;
    out.push_back({row->first.second, measurement});
  }
  return out;
}

}  // namespace benchwire::storage
