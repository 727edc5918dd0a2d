// Workers: their sessions and leases as they see them, and the worker resources as people see them.
#ifndef BENCHWIRE_SERVER_CORE_FLEET_H_
#define BENCHWIRE_SERVER_CORE_FLEET_H_

#include <benchwire/v1/agent_service.pb.h>
#include <benchwire/v1/fleet_service.pb.h>

#include "absl/status/statusor.h"
#include "server/core/attempts.h"
#include "server/core/dispatcher.h"
#include "server/core/environment.h"
#include "server/core/worker_table.h"

namespace benchwire::core {

struct FleetOptions {
  std::chrono::nanoseconds ttl = std::chrono::seconds(45);  // A session's time to live.
  std::chrono::nanoseconds grace =
      std::chrono::seconds(15);  // Waited beyond it before a silent worker's jobs are taken back.
};

class Fleet {
 public:
  Fleet(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, Attempts& attempts,
        FleetOptions options);

  // Takes in workers and active jobs from the store, when the server starts: every lease gets a full time to live.
  absl::Status Load();

  absl::StatusOr<v1::RegisterWorkerResponse> Register(const v1::RegisterWorkerRequest& request);
  absl::StatusOr<v1::RenewLeaseResponse> Renew(const v1::RenewLeaseRequest& request);
  // Checks and parks a LeaseJob call. STALE_SESSION, INVALID_ARGUMENT.
  absl::StatusOr<Dispatcher::WaitId> Lease(const v1::LeaseJobRequest& request, Dispatcher::LeaseCallback callback);

  absl::StatusOr<v1::Worker> Get(const v1::GetWorkerRequest& request) const;
  absl::StatusOr<v1::ListWorkersResponse> List(const v1::ListWorkersRequest& request) const;
  absl::StatusOr<v1::Worker> Drain(const v1::DrainWorkerRequest& request);
  absl::StatusOr<v1::Worker> Resume(const v1::ResumeWorkerRequest& request);

  // Takes back the jobs of workers that have been silent for longer than time to live and grace.
  void ReapSilent();

 private:
  absl::StatusOr<v1::Worker> SetDraining(const std::string& name, bool draining);
  absl::Status RegisterInTransaction(storage::Transaction& tx, const v1::RegisterWorkerRequest& request,
                                     const std::string& id, storage::WorkerRecord& record, std::vector<AttemptId>& kept,
                                     std::vector<AttemptId>& lost);
  absl::Status Reap(const std::string& worker);
  // Ends one attempt WORKER_LOST where it is still the job's latest.
  absl::Status EndLost(const AttemptId& attempt, const std::string& worker, const std::string& code,
                       const std::string& message);

  CoreEnvironment environment_;
  WorkerTable& workers_;
  Dispatcher& dispatcher_;
  Attempts& attempts_;
  const FleetOptions options_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_FLEET_H_
