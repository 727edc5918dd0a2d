// FleetService, typed. Every call has a deadline and is tried again after transient errors. Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_FLEET_CLIENT_H_
#define BENCHWIRE_CLIENTS_CPP_FLEET_CLIENT_H_

#include <benchwire/v1/fleet_service.pb.h>
#include <benchwire/v1/worker.pb.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/connection.h"

namespace benchwire::client {

class FleetClient {
 public:
  explicit FleetClient(Connection& connection);
  ~FleetClient();

  absl::StatusOr<v1::Worker> Get(const std::string& name);
  absl::StatusOr<v1::Worker> Drain(const std::string& name);
  absl::StatusOr<v1::Worker> Resume(const std::string& name);
  // Calls `take` with each worker by name until it returns false.
  absl::Status List(const std::function<bool(const v1::Worker&)>& take);

 private:
  struct Stub;
  Connection& connection_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_FLEET_CLIENT_H_
