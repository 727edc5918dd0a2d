// AgentService over core::Fleet, core::Attempts and core::Dispatcher. LeaseJob and Report are reactors: parked calls
// and open streams cost no thread.
#ifndef BENCHWIRE_SERVER_RPC_AGENT_SERVICE_H_
#define BENCHWIRE_SERVER_RPC_AGENT_SERVICE_H_

#include <benchwire/v1/agent_service.grpc.pb.h>

#include "server/core/attempts.h"
#include "server/core/fleet.h"
#include "server/core/worker_table.h"
#include "server/rpc/call.h"
#include "server/rpc/report_reactor.h"

namespace benchwire::rpc {

class AgentServiceImpl final : public v1::AgentService::WithCallbackMethod_LeaseJob<
                                   v1::AgentService::WithCallbackMethod_Report<v1::AgentService::Service>> {
 public:
  AgentServiceImpl(CallEnvironment& environment, core::Fleet& fleet, core::Attempts& attempts,
                   core::Dispatcher& dispatcher, core::WorkerTable& workers)
      : environment_(environment), fleet_(fleet), attempts_(attempts), dispatcher_(dispatcher), workers_(workers) {}

  grpc::Status RegisterWorker(grpc::ServerContext* context, const v1::RegisterWorkerRequest* request,
                              v1::RegisterWorkerResponse* response) override;
  grpc::ServerUnaryReactor* LeaseJob(grpc::CallbackServerContext* context, const v1::LeaseJobRequest* request,
                                     v1::LeaseJobResponse* response) override;
  grpc::Status StartAttempt(grpc::ServerContext* context, const v1::StartAttemptRequest* request,
                            v1::StartAttemptResponse* response) override;
  grpc::Status RenewLease(grpc::ServerContext* context, const v1::RenewLeaseRequest* request,
                          v1::RenewLeaseResponse* response) override;
  grpc::ServerBidiReactor<v1::ReportRequest, v1::ReportResponse>* Report(grpc::CallbackServerContext* context) override;
  grpc::Status CompleteAttempt(grpc::ServerContext* context, const v1::CompleteAttemptRequest* request,
                               v1::CompleteAttemptResponse* response) override;

  // Ends every open report stream with UNAVAILABLE, and those that come later at once.
  void Stop() { streams_.Stop(); }

 private:
  CallEnvironment& environment_;
  core::Fleet& fleet_;
  core::Attempts& attempts_;
  core::Dispatcher& dispatcher_;
  core::WorkerTable& workers_;
  ReportStreams streams_;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_AGENT_SERVICE_H_
