#include "server/rpc/fleet_service.h"

namespace benchwire::rpc {

grpc::Status FleetServiceImpl::GetWorker(grpc::ServerContext* context, const v1::GetWorkerRequest* request,
                                         v1::Worker* response) {
  return Unary(environment_, *context, "/benchwire.v1.FleetService/GetWorker", *response,
               [&](const Principal&) { return fleet_.Get(*request); });
}

grpc::Status FleetServiceImpl::ListWorkers(grpc::ServerContext* context, const v1::ListWorkersRequest* request,
                                           v1::ListWorkersResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.FleetService/ListWorkers", *response,
               [&](const Principal&) { return fleet_.List(*request); });
}

grpc::Status FleetServiceImpl::DrainWorker(grpc::ServerContext* context, const v1::DrainWorkerRequest* request,
                                           v1::Worker* response) {
  return Unary(environment_, *context, "/benchwire.v1.FleetService/DrainWorker", *response,
               [&](const Principal&) { return fleet_.Drain(*request); });
}

grpc::Status FleetServiceImpl::ResumeWorker(grpc::ServerContext* context, const v1::ResumeWorkerRequest* request,
                                            v1::Worker* response) {
  return Unary(environment_, *context, "/benchwire.v1.FleetService/ResumeWorker", *response,
               [&](const Principal&) { return fleet_.Resume(*request); });
}

}  // namespace benchwire::rpc
