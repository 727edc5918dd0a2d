// The calls of AgentService as values and errors. Every unary call has a deadline. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_AGENT_API_H_
#define BENCHWIRE_WORKERS_AGENT_AGENT_API_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <set>

#include "absl/status/statusor.h"
#include "benchwire/v1/agent_service.grpc.pb.h"
#include "server/base/mutex.h"

namespace benchwire::agent {

class AgentApi {
 public:
  explicit AgentApi(const std::shared_ptr<grpc::Channel>& channel) : stub_(v1::AgentService::NewStub(channel)) {}

  using Timeout = std::chrono::milliseconds;
  absl::StatusOr<v1::RegisterWorkerResponse> RegisterWorker(const v1::RegisterWorkerRequest& request, Timeout timeout);
  absl::StatusOr<v1::LeaseJobResponse> LeaseJob(const v1::LeaseJobRequest& request, Timeout timeout);
  absl::StatusOr<v1::StartAttemptResponse> StartAttempt(const v1::StartAttemptRequest& request, Timeout timeout);
  absl::StatusOr<v1::RenewLeaseResponse> RenewLease(const v1::RenewLeaseRequest& request, Timeout timeout);
  absl::StatusOr<v1::CompleteAttemptResponse> CompleteAttempt(const v1::CompleteAttemptRequest& request,
                                                              Timeout timeout);

  // Ends the unary calls in progress, and at once those that follow, with CANCELLED.
  void Cancel();

  v1::AgentService::Stub& stub() { return *stub_; }

 private:
  // A call's context, known to Cancel while the call lasts.
  class Call;
  template <typename Request, typename Response>
  absl::StatusOr<Response> Unary(grpc::Status (v1::AgentService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                                Response*),
                                 const Request& request, Timeout timeout);

  const std::unique_ptr<v1::AgentService::Stub> stub_;
  Mutex mutex_;
  std::set<grpc::ClientContext*> calls_ GUARDED_BY(mutex_);
  bool cancelled_ GUARDED_BY(mutex_) = false;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_AGENT_API_H_
