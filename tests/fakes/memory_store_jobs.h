// JobStore in memory, a part of MemoryStore.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_JOBS_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_JOBS_H_

#include <string>
#include <utility>
#include <vector>

#include "storage/job_store.h"
#include "tests/fakes/memory_store_table.h"

namespace benchwire::storage {

class MemoryJobStore final : public JobStore {
 public:
  absl::Status Insert(const JobRecord& record) override;
  absl::StatusOr<JobRecord> Get(const std::string& id) const override;
  absl::Status Update(JobRecord& record) override;
  absl::StatusOr<std::vector<JobRecord>> List(const std::vector<v1::JobState>& states, const std::string& before,
                                              int64_t limit) const override;
  absl::StatusOr<std::vector<JobRecord>> ListQueued(int64_t now, int64_t per_group) const override;
  absl::StatusOr<int64_t> NextEarliestStart(int64_t now) const override;
  absl::StatusOr<std::vector<QueuePlace>> ListQueuePlaces() const override;
  absl::StatusOr<std::vector<JobRecord>> ListExpired(int64_t now, int64_t limit) const override;
  absl::StatusOr<std::vector<JobRecord>> ListActive(const std::string& worker) const override;
  absl::Status PutAttempt(const AttemptId& id, const v1::Attempt& attempt) override;
  absl::StatusOr<v1::Attempt> GetAttempt(const AttemptId& id) const override;
  absl::StatusOr<std::vector<v1::Attempt>> ListAttempts(const std::string& job) const override;
  absl::Status PutLostLease(const AttemptId& id, const std::string& token_sha256) override;
  absl::StatusOr<std::string> GetLostLease(const AttemptId& id) const override;
  absl::Status AddMeasurements(const AttemptId& attempt, int64_t sequence,
                               const std::vector<v1::Measurement>& measurements) override;
  absl::StatusOr<std::vector<MeasurementRow>> ListMeasurements(const MeasurementQuery& query) const override;

 private:
  MemoryTable<std::string, JobRecord> jobs_;
  MemoryTable<AttemptId, v1::Attempt> attempts_;
  MemoryTable<AttemptId, std::string> lost_leases_;
  MemoryTable<std::pair<AttemptId, MeasurementKey>, v1::Measurement> measurements_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_JOBS_H_
