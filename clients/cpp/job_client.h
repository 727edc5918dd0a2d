// JobService, typed. Every call has a deadline; reads, creates and cancels are tried again after transient errors (see
// retry.h). Errors are the server's, with their google.rpc details (server/base/status.h). Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_JOB_CLIENT_H_
#define BENCHWIRE_CLIENTS_CPP_JOB_CLIENT_H_

#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/job_service.pb.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/connection.h"

namespace benchwire::client {

// True for a state that is final.
bool IsTerminal(v1::JobState state);

struct WaitOptions {
  // Between two looks at the job: from the first, doubling, to the last.
  std::chrono::milliseconds first_interval{100};
  std::chrono::milliseconds last_interval{1'000};
  // Called with every state seen, the final one included.
  std::function<void(const v1::Job&)> on_progress;
  // Called when the server could not be reached and will be asked again.
  std::function<void(const absl::Status&)> on_outage;
};

class JobClient {
 public:
  explicit JobClient(Connection& connection);
  ~JobClient();

  // Draws a request_id where the request has none.
  absl::StatusOr<v1::Job> Create(v1::CreateJobRequest request);
  absl::StatusOr<v1::Job> Get(const std::string& name);
  // Why the job waits.
  absl::StatusOr<v1::JobExplanation> Explain(const std::string& name);
  absl::StatusOr<v1::Job> Cancel(const std::string& name, const std::string& reason);
  absl::StatusOr<v1::Job> Retry(const std::string& name);
  // Calls `take` with each job, newest first, until it returns false. `request.page_token` is not used.
  absl::Status List(v1::ListJobsRequest request, const std::function<bool(const v1::Job&)>& take);
  absl::Status ListMeasurements(v1::ListMeasurementsRequest request,
                                const std::function<bool(const v1::Measurement&)>& take);
  absl::StatusOr<v1::ListSeriesResponse> ListSeries(const std::string& attempt);
  absl::StatusOr<v1::SeriesData> GetSeries(const v1::GetSeriesRequest& request);
  absl::StatusOr<v1::ListArtifactsResponse> ListArtifacts(const std::string& attempt);
  absl::StatusOr<v1::ArtifactData> ReadArtifact(const std::string& artifact, int64_t offset);
  absl::StatusOr<v1::LogChunk> ReadLog(const std::string& attempt, int64_t offset);

  // As Get for a server that was reached before: it may vanish and come back (ConnectionOptions::outage). `on_outage`,
  // where there is one, is called each time it could not be reached.
  absl::StatusOr<v1::Job> GetThroughOutage(const std::string& name,
                                           const std::function<void(const absl::Status&)>& on_outage);

  // Looks at the job until its state is final and returns it. An error of the first look is returned; later the server
  // may vanish and come back (ConnectionOptions::outage). CANCELLED: the token was cancelled; the job goes on.
  absl::StatusOr<v1::Job> Wait(const std::string& name, const WaitOptions& options);

  // Follows an attempt's log from `offset` until the attempt has ended and all was given to `take`, or `take` returns
  // false. Each byte is given once, in order, over any number of lost streams. DATA_LOSS: the server skipped bytes.
  absl::Status WatchLog(const std::string& attempt, int64_t offset,
                        const std::function<bool(const std::string&)>& take);

 private:
  struct Stub;
  Connection& connection_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_JOB_CLIENT_H_
