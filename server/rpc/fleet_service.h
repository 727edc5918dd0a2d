// FleetService over core::Fleet.
#ifndef BENCHWIRE_SERVER_RPC_FLEET_SERVICE_H_
#define BENCHWIRE_SERVER_RPC_FLEET_SERVICE_H_

#include <benchwire/v1/fleet_service.grpc.pb.h>

#include "server/core/fleet.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

class FleetServiceImpl final : public v1::FleetService::Service {
 public:
  FleetServiceImpl(CallEnvironment& environment, core::Fleet& fleet) : environment_(environment), fleet_(fleet) {}

  grpc::Status GetWorker(grpc::ServerContext* context, const v1::GetWorkerRequest* request,
                         v1::Worker* response) override;
  grpc::Status ListWorkers(grpc::ServerContext* context, const v1::ListWorkersRequest* request,
                           v1::ListWorkersResponse* response) override;
  grpc::Status DrainWorker(grpc::ServerContext* context, const v1::DrainWorkerRequest* request,
                           v1::Worker* response) override;
  grpc::Status ResumeWorker(grpc::ServerContext* context, const v1::ResumeWorkerRequest* request,
                            v1::Worker* response) override;

 private:
  CallEnvironment& environment_;
  core::Fleet& fleet_;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_FLEET_SERVICE_H_
