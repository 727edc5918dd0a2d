// Jobs as submitters and readers see them.
#ifndef BENCHWIRE_SERVER_CORE_JOBS_H_
#define BENCHWIRE_SERVER_CORE_JOBS_H_

#include <benchwire/v1/job_service.pb.h>

#include <string>

#include "absl/status/statusor.h"
#include "server/core/attempts.h"
#include "server/core/dispatcher.h"
#include "server/core/environment.h"
#include "server/core/worker_table.h"

namespace benchwire::core {

class Jobs {
 public:
  Jobs(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, Attempts& attempts);

  // `submitter`: who calls.
  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request, const std::string& submitter);
  absl::StatusOr<v1::Job> Get(const v1::GetJobRequest& request) const;
  absl::StatusOr<v1::ListJobsResponse> List(const v1::ListJobsRequest& request) const;
  // See explanation.h.
  absl::StatusOr<v1::JobExplanation> Explain(const v1::ExplainJobRequest& request) const;
  absl::StatusOr<v1::Job> Cancel(const v1::CancelJobRequest& request);
  absl::StatusOr<v1::Job> Retry(const v1::RetryJobRequest& request, const std::string& submitter);
  absl::StatusOr<v1::ListMeasurementsResponse> ListMeasurements(const v1::ListMeasurementsRequest& request) const;

  // Ends the jobs that have been QUEUED for longer than they may.
  void ExpireQueued();

 private:
  // One batch of them; returns whether there may be more.
  absl::StatusOr<bool> ExpireSome();
  // `refusal`: why no new job is to be made; a request that made one before is answered all the same.
  absl::StatusOr<v1::Job> Insert(v1::Job job, const std::string& method, const std::string& request_id,
                                 const std::string& sha256, const absl::Status& refusal);
  absl::StatusOr<v1::Job> GetById(const std::string& id) const;
  // The job as callers see it, without attempts.
  v1::Job Describe(const storage::JobRecord& record) const;

  CoreEnvironment environment_;
  WorkerTable& workers_;
  Dispatcher& dispatcher_;
  Attempts& attempts_;
};

// The attempt that stands for a job: its latest SUCCEEDED one, else its latest that ended. NOT_FOUND.
absl::StatusOr<AttemptId> RepresentativeAttempt(const storage::JobStore& jobs, const std::string& job);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_JOBS_H_
