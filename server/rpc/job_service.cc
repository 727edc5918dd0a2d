#include "server/rpc/job_service.h"

#include <atomic>
#include <memory>

#include "server/base/status.h"
#include "server/rpc/watch_reactor.h"

namespace benchwire::rpc {
namespace {

// The chunks of one log, to its end.
class LogSource final : public WatchSource<v1::LogChunk> {
 public:
  LogSource(core::Telemetry& telemetry, core::WaitList& waits, AttemptId attempt, int64_t offset)
      : telemetry_(telemetry), waits_(waits), attempt_(std::move(attempt)), progress_(std::make_shared<Progress>()) {
    progress_->offset = offset;
  }

  void Next(Callback callback) override {
    if (progress_->ended) return callback(std::vector<v1::LogChunk>());
    wait_ = telemetry_.NextLog(attempt_, progress_->offset,
                               [progress = progress_, callback](absl::StatusOr<v1::LogChunk> chunk) {
                                 if (!chunk.ok()) return callback(chunk.status());
                                 progress->offset = chunk->next_offset();
                                 progress->ended = chunk->end();
                                 callback(std::vector<v1::LogChunk>{*std::move(chunk)});
                               });
  }
  void Cancel() override { waits_.Remove(wait_); }

 private:
  // Outlives the source where a callback is under way.
  struct Progress {
    int64_t offset = 0;
    bool ended = false;
  };
  core::Telemetry& telemetry_;
  core::WaitList& waits_;
  const AttemptId attempt_;
  const std::shared_ptr<Progress> progress_;
  std::atomic<core::WaitList::Id> wait_ = 0;
};

}  // namespace

grpc::Status JobServiceImpl::CreateJob(grpc::ServerContext* context, const v1::CreateJobRequest* request,
                                       v1::Job* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/CreateJob", *response,
               [&](const Principal& caller) { return jobs_.Create(*request, caller.name); });
}

grpc::Status JobServiceImpl::GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/GetJob", *response,
               [&](const Principal&) { return jobs_.Get(*request); });
}

grpc::Status JobServiceImpl::ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                                      v1::ListJobsResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ListJobs", *response,
               [&](const Principal&) { return jobs_.List(*request); });
}

grpc::Status JobServiceImpl::CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                                       v1::Job* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/CancelJob", *response,
               [&](const Principal&) { return jobs_.Cancel(*request); });
}

grpc::Status JobServiceImpl::RetryJob(grpc::ServerContext* context, const v1::RetryJobRequest* request,
                                      v1::Job* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/RetryJob", *response,
               [&](const Principal& caller) { return jobs_.Retry(*request, caller.name); });
}

grpc::Status JobServiceImpl::ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                                        v1::JobExplanation* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ExplainJob", *response,
               [&](const Principal&) { return jobs_.Explain(*request); });
}

grpc::Status JobServiceImpl::ListMeasurements(grpc::ServerContext* context, const v1::ListMeasurementsRequest* request,
                                              v1::ListMeasurementsResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ListMeasurements", *response,
               [&](const Principal&) { return jobs_.ListMeasurements(*request); });
}

grpc::Status JobServiceImpl::ListSeries(grpc::ServerContext* context, const v1::ListSeriesRequest* request,
                                        v1::ListSeriesResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ListSeries", *response,
               [&](const Principal&) { return telemetry_.ListSeries(*request); });
}

grpc::Status JobServiceImpl::GetSeries(grpc::ServerContext* context, const v1::GetSeriesRequest* request,
                                       v1::SeriesData* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/GetSeries", *response,
               [&](const Principal&) { return telemetry_.GetSeries(*request); });
}

grpc::Status JobServiceImpl::ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                                     v1::LogChunk* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ReadLog", *response,
               [&](const Principal&) { return telemetry_.ReadLog(*request); });
}

grpc::Status JobServiceImpl::ListArtifacts(grpc::ServerContext* context, const v1::ListArtifactsRequest* request,
                                           v1::ListArtifactsResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ListArtifacts", *response,
               [&](const Principal&) { return telemetry_.ListArtifacts(*request); });
}

grpc::Status JobServiceImpl::ReadArtifact(grpc::ServerContext* context, const v1::ReadArtifactRequest* request,
                                          v1::ArtifactData* response) {
  return Unary(environment_, *context, "/benchwire.v1.JobService/ReadArtifact", *response,
               [&](const Principal&) { return telemetry_.ReadArtifact(*request); });
}

grpc::ServerWriteReactor<v1::LogChunk>* JobServiceImpl::WatchLog(grpc::CallbackServerContext* context,
                                                                 const v1::WatchLogRequest* request) {
  return new WatchReactor<v1::LogChunk>(environment_, *context, "/benchwire.v1.JobService/WatchLog",
                                        [&]() -> absl::StatusOr<std::unique_ptr<WatchSource<v1::LogChunk>>> {
                                          ASSIGN_OR_RETURN(AttemptId attempt, telemetry_.BeginLogWatch(*request));
                                          return std::make_unique<LogSource>(telemetry_, waits_, std::move(attempt),
                                                                             request->offset());
                                        });
}

}  // namespace benchwire::rpc
