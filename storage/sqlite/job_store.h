// JobStore over one SQLite connection.
#ifndef BENCHWIRE_STORAGE_SQLITE_JOB_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_JOB_STORE_H_

#include "storage/job_store.h"
#include "storage/sqlite/statement.h"

namespace benchwire::storage {

class SqliteJobStore final : public JobStore {
 public:
  explicit SqliteJobStore(soci::session& session);

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
  // id, resource, spec, shape, queued_at, expires_at, attempt, epoch, token, worker, incarnation, lease request,
  // revision.
  using JobRow = std::tuple<std::string, Bytes, Bytes, std::string, int64_t, int64_t, int64_t, int64_t, std::string,
                            std::string, std::string, std::string, int64_t>;
  // priority, submitter, shape.
  using GroupRow = std::tuple<int64_t, std::string, std::string>;

  // Statements change their parameter slots when they run, also those that only read.
  mutable Command<std::string, int64_t, int64_t, int64_t, Bytes, Bytes, std::string, std::string, int64_t, int64_t>
      insert_;
  mutable Query<JobRow, std::string> get_;
  mutable Command<int64_t, int64_t, int64_t, int64_t, int64_t, Bytes, int64_t, int64_t, std::string, std::string,
                  std::string, std::string, std::string, int64_t>
      update_;
  mutable Query<JobRow, std::string, int64_t> list_;
  mutable Query<JobRow, std::string, int64_t, int64_t> list_in_states_;
  mutable Query<GroupRow, int64_t, std::string, std::string> next_group_;
  mutable Query<JobRow, int64_t, std::string, std::string, int64_t, int64_t, int64_t> list_group_;
  mutable Query<std::tuple<int64_t>, int64_t> next_earliest_start_;
  mutable Query<std::tuple<std::string, int64_t, int64_t>> list_places_;
  mutable Query<JobRow, int64_t, int64_t> list_expired_;
  mutable Query<JobRow> list_active_;
  mutable Query<JobRow, std::string> list_active_of_;
  mutable Command<std::string, int64_t, Bytes> put_attempt_;
  mutable Query<std::tuple<Bytes>, std::string, int64_t> get_attempt_;
  mutable Query<std::tuple<Bytes>, std::string> list_attempts_;
  mutable Command<std::string, int64_t, std::string> put_lost_lease_;
  mutable Query<std::tuple<std::string>, std::string, int64_t> get_lost_lease_;
  mutable Query<std::tuple<int64_t>, std::string, int64_t, int64_t> count_batch_;
  mutable Command<std::string, int64_t, int64_t, int64_t, std::string, std::string, Bytes> add_measurement_;
  mutable Query<std::tuple<int64_t, int64_t, Bytes>, std::string, int64_t, int64_t, int64_t, std::string, std::string,
                int64_t>
      list_measurements_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_JOB_STORE_H_
