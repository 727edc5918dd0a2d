#include "server/rpc/agent_service.h"

#include "server/rpc/lease_reactor.h"

namespace benchwire::rpc {

grpc::Status AgentServiceImpl::RegisterWorker(grpc::ServerContext* context, const v1::RegisterWorkerRequest* request,
                                              v1::RegisterWorkerResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.AgentService/RegisterWorker", *response,
               [&](const Principal&) { return fleet_.Register(*request); });
}

grpc::ServerUnaryReactor* AgentServiceImpl::LeaseJob(grpc::CallbackServerContext* context,
                                                     const v1::LeaseJobRequest* request,
                                                     v1::LeaseJobResponse* response) {
  return new LeaseReactor(environment_, *context, fleet_, dispatcher_, *request, *response);
}

grpc::Status AgentServiceImpl::StartAttempt(grpc::ServerContext* context, const v1::StartAttemptRequest* request,
                                            v1::StartAttemptResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.AgentService/StartAttempt", *response,
               [&](const Principal&) { return attempts_.Start(*request); });
}

grpc::Status AgentServiceImpl::RenewLease(grpc::ServerContext* context, const v1::RenewLeaseRequest* request,
                                          v1::RenewLeaseResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.AgentService/RenewLease", *response,
               [&](const Principal&) { return fleet_.Renew(*request); });
}

grpc::ServerBidiReactor<v1::ReportRequest, v1::ReportResponse>* AgentServiceImpl::Report(
    grpc::CallbackServerContext* context) {
  return new ReportReactor(environment_, *context, attempts_, workers_, streams_);
}

grpc::Status AgentServiceImpl::CompleteAttempt(grpc::ServerContext* context, const v1::CompleteAttemptRequest* request,
                                               v1::CompleteAttemptResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.AgentService/CompleteAttempt", *response,
               [&](const Principal&) { return attempts_.Complete(*request); });
}

}  // namespace benchwire::rpc
