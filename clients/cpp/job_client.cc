#include "clients/cpp/job_client.h"

#include <benchwire/v1/job_service.grpc.pb.h>

#include <algorithm>
#include <utility>

#include "clients/cpp/call.h"
#include "clients/cpp/outage.h"
#include "clients/cpp/watch.h"

namespace benchwire::client {

using JobService = v1::JobService::StubInterface;

struct JobClient::Stub {
  std::unique_ptr<JobService> service;
};

bool IsTerminal(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_SUCCEEDED:
    case v1::JOB_STATE_FAILED:
    case v1::JOB_STATE_CANCELLED:
    case v1::JOB_STATE_TIMED_OUT:
    case v1::JOB_STATE_QUARANTINED:
    case v1::JOB_STATE_EXPIRED:
      return true;
    default:
      return false;
  }
}

JobClient::JobClient(Connection& connection)
    : connection_(connection), stub_(new Stub{v1::JobService::NewStub(connection.channel())}) {}

JobClient::~JobClient() = default;

absl::StatusOr<v1::Job> JobClient::Create(v1::CreateJobRequest request) {
  if (request.request_id().empty()) request.set_request_id(connection_.NewRequestId());
  return Call(connection_, *stub_->service, &JobService::CreateJob, request, Repeat::kSafe);
}

absl::StatusOr<v1::Job> JobClient::Get(const std::string& name) {
  v1::GetJobRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &JobService::GetJob, request, Repeat::kSafe);
}

absl::StatusOr<v1::JobExplanation> JobClient::Explain(const std::string& name) {
  v1::ExplainJobRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &JobService::ExplainJob, request, Repeat::kSafe);
}

absl::StatusOr<v1::Job> JobClient::Cancel(const std::string& name, const std::string& reason) {
  v1::CancelJobRequest request;
  request.set_name(name);
  request.set_reason(reason);
  return Call(connection_, *stub_->service, &JobService::CancelJob, request, Repeat::kSafe);
}

absl::StatusOr<v1::Job> JobClient::Retry(const std::string& name) {
  v1::RetryJobRequest request;
  request.set_name(name);
  request.set_request_id(connection_.NewRequestId());
  return Call(connection_, *stub_->service, &JobService::RetryJob, request, Repeat::kSafe);
}

absl::Status JobClient::List(v1::ListJobsRequest request, const std::function<bool(const v1::Job&)>& take) {
  return ForEachPage<v1::ListJobsResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &JobService::ListJobs, request, Repeat::kSafe);
      },
      [&](const v1::ListJobsResponse& page) { return TakeAll(page.jobs(), take); });
}

absl::Status JobClient::ListMeasurements(v1::ListMeasurementsRequest request,
                                         const std::function<bool(const v1::Measurement&)>& take) {
  return ForEachPage<v1::ListMeasurementsResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &JobService::ListMeasurements, request, Repeat::kSafe);
      },
      [&](const v1::ListMeasurementsResponse& page) { return TakeAll(page.measurements(), take); });
}

absl::StatusOr<v1::LogChunk> JobClient::ReadLog(const std::string& attempt, int64_t offset) {
  static constexpr int32_t kMaxBytes = 1 << 20;
  v1::ReadLogRequest request;
  request.set_name(attempt);
  request.set_offset(offset);
  request.set_max_bytes(kMaxBytes);
  return Call(connection_, *stub_->service, &JobService::ReadLog, request, Repeat::kSafe);
}

absl::StatusOr<v1::ListSeriesResponse> JobClient::ListSeries(const std::string& attempt) {
  v1::ListSeriesRequest request;
  request.set_parent(attempt);
  return Call(connection_, *stub_->service, &JobService::ListSeries, request, Repeat::kSafe);
}

absl::StatusOr<v1::SeriesData> JobClient::GetSeries(const v1::GetSeriesRequest& request) {
  return Call(connection_, *stub_->service, &JobService::GetSeries, request, Repeat::kSafe);
}

absl::StatusOr<v1::ListArtifactsResponse> JobClient::ListArtifacts(const std::string& attempt) {
  v1::ListArtifactsRequest request;
  request.set_parent(attempt);
  return Call(connection_, *stub_->service, &JobService::ListArtifacts, request, Repeat::kSafe);
}

absl::StatusOr<v1::ArtifactData> JobClient::ReadArtifact(const std::string& artifact, int64_t offset) {
  static constexpr int32_t kMaxBytes = 1 << 20;
  v1::ReadArtifactRequest request;
  request.set_name(artifact);
  request.set_offset(offset);
  request.set_max_bytes(kMaxBytes);
  return Call(connection_, *stub_->service, &JobService::ReadArtifact, request, Repeat::kSafe);
}

absl::StatusOr<v1::Job> JobClient::GetThroughOutage(const std::string& name,
                                                    const std::function<void(const absl::Status&)>& on_outage) {
  return ThroughOutage<v1::Job>(
      connection_, [&] { return Get(name); }, on_outage);
}

absl::StatusOr<v1::Job> JobClient::Wait(const std::string& name, const WaitOptions& options) {
  auto interval = options.first_interval;
  absl::StatusOr<v1::Job> job = Get(name);
  while (job.ok()) {
    if (options.on_progress) options.on_progress(*job);
    if (IsTerminal(job->state())) return job;
    if (connection_.cancel().WaitFor(interval)) return absl::CancelledError("interrupted");
    interval = std::min(interval * 2, options.last_interval);
    job = GetThroughOutage(name, options.on_outage);
  }
  return job;
}

absl::Status JobClient::WatchLog(const std::string& attempt, int64_t offset,
                                 const std::function<bool(const std::string&)>& take) {
  v1::WatchLogRequest request;
  request.set_name(attempt);
  return Watch<v1::LogChunk>(
      connection_,
      [&](grpc::ClientContext* context) {
        request.set_offset(offset);
        return stub_->service->WatchLog(context, request);
      },
      [&](const v1::LogChunk& chunk) -> absl::StatusOr<Take> {
        const int64_t size = static_cast<int64_t>(chunk.data().size());
        const int64_t begin = chunk.next_offset() - size;
        if (begin > offset) {
          return absl::DataLossError("the log of " + attempt + " skips from byte " + std::to_string(offset) + " to " +
                                     std::to_string(begin));
        }
        const int64_t seen = std::min(offset - begin, size);
        offset = std::max(offset, chunk.next_offset());
        if (seen < size && !take(chunk.data().substr(static_cast<size_t>(seen)))) return Take::kStop;
        return chunk.end() ? Take::kStop : Take::kMore;
      },
      MayRetry);
}

}  // namespace benchwire::client
