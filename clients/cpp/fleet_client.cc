#include "clients/cpp/fleet_client.h"

#include <benchwire/v1/fleet_service.grpc.pb.h>

#include "clients/cpp/call.h"

namespace benchwire::client {

using FleetService = v1::FleetService::StubInterface;

struct FleetClient::Stub {
  std::unique_ptr<FleetService> service;
};

FleetClient::FleetClient(Connection& connection)
    : connection_(connection), stub_(new Stub{v1::FleetService::NewStub(connection.channel())}) {}

FleetClient::~FleetClient() = default;

absl::StatusOr<v1::Worker> FleetClient::Get(const std::string& name) {
  v1::GetWorkerRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &FleetService::GetWorker, request, Repeat::kSafe);
}

absl::StatusOr<v1::Worker> FleetClient::Drain(const std::string& name) {
  v1::DrainWorkerRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &FleetService::DrainWorker, request, Repeat::kSafe);
}

absl::StatusOr<v1::Worker> FleetClient::Resume(const std::string& name) {
  v1::ResumeWorkerRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &FleetService::ResumeWorker, request, Repeat::kSafe);
}

absl::Status FleetClient::List(const std::function<bool(const v1::Worker&)>& take) {
  v1::ListWorkersRequest request;
  return ForEachPage<v1::ListWorkersResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &FleetService::ListWorkers, request, Repeat::kSafe);
      },
      [&](const v1::ListWorkersResponse& page) { return TakeAll(page.workers(), take); });
}

}  // namespace benchwire::client
