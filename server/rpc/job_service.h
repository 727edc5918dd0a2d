// JobService over core::Jobs and core::Telemetry.
#ifndef BENCHWIRE_SERVER_RPC_JOB_SERVICE_H_
#define BENCHWIRE_SERVER_RPC_JOB_SERVICE_H_

#include <benchwire/v1/job_service.grpc.pb.h>

#include "server/core/jobs.h"
#include "server/core/telemetry.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

class JobServiceImpl final : public v1::JobService::WithCallbackMethod_WatchLog<v1::JobService::Service> {
 public:
  JobServiceImpl(CallEnvironment& environment, core::Jobs& jobs, core::Telemetry& telemetry, core::WaitList& waits)
      : environment_(environment), jobs_(jobs), telemetry_(telemetry), waits_(waits) {}

  grpc::Status CreateJob(grpc::ServerContext* context, const v1::CreateJobRequest* request, v1::Job* response) override;
  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* response) override;
  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override;
  grpc::Status CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request, v1::Job* response) override;
  grpc::Status RetryJob(grpc::ServerContext* context, const v1::RetryJobRequest* request, v1::Job* response) override;
  grpc::Status ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                          v1::JobExplanation* response) override;
  grpc::Status ListMeasurements(grpc::ServerContext* context, const v1::ListMeasurementsRequest* request,
                                v1::ListMeasurementsResponse* response) override;
  grpc::Status ListSeries(grpc::ServerContext* context, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override;
  grpc::Status GetSeries(grpc::ServerContext* context, const v1::GetSeriesRequest* request,
                         v1::SeriesData* response) override;
  grpc::Status ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                       v1::LogChunk* response) override;
  grpc::Status ListArtifacts(grpc::ServerContext* context, const v1::ListArtifactsRequest* request,
                             v1::ListArtifactsResponse* response) override;
  grpc::Status ReadArtifact(grpc::ServerContext* context, const v1::ReadArtifactRequest* request,
                            v1::ArtifactData* response) override;
  grpc::ServerWriteReactor<v1::LogChunk>* WatchLog(grpc::CallbackServerContext* context,
                                                   const v1::WatchLogRequest* request) override;

 private:
  CallEnvironment& environment_;
  core::Jobs& jobs_;
  core::Telemetry& telemetry_;
  core::WaitList& waits_;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_JOB_SERVICE_H_
