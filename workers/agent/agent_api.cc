#include "workers/agent/agent_api.h"

#include <utility>

#include "clients/cpp/channel.h"

namespace benchwire::agent {

class AgentApi::Call {
 public:
  Call(AgentApi& api, Timeout timeout) : api_(api) {
    client::SetDeadline(context_, timeout);
    MutexLock lock(api_.mutex_);
    api_.calls_.insert(&context_);
    if (api_.cancelled_) context_.TryCancel();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    MutexLock lock(api_.mutex_);
    api_.calls_.erase(&context_);
  }
  grpc::ClientContext* context() { return &context_; }

 private:
  AgentApi& api_;
  grpc::ClientContext context_;
};

template <typename Request, typename Response>
absl::StatusOr<Response> AgentApi::Unary(grpc::Status (v1::AgentService::Stub::*method)(grpc::ClientContext*,
                                                                                        const Request&, Response*),
                                         const Request& request, Timeout timeout) {
  Call call(*this, timeout);
  Response response;
  const grpc::Status status = (stub_.get()->*method)(call.context(), request, &response);
  if (!status.ok()) return client::ToStatus(status);
  return response;
}

absl::StatusOr<v1::RegisterWorkerResponse> AgentApi::RegisterWorker(const v1::RegisterWorkerRequest& request,
                                                                    Timeout timeout) {
  return Unary(&v1::AgentService::Stub::RegisterWorker, request, timeout);
}

absl::StatusOr<v1::LeaseJobResponse> AgentApi::LeaseJob(const v1::LeaseJobRequest& request, Timeout timeout) {
  return Unary(&v1::AgentService::Stub::LeaseJob, request, timeout);
}

absl::StatusOr<v1::StartAttemptResponse> AgentApi::StartAttempt(const v1::StartAttemptRequest& request,
                                                                Timeout timeout) {
  return Unary(&v1::AgentService::Stub::StartAttempt, request, timeout);
}

absl::StatusOr<v1::RenewLeaseResponse> AgentApi::RenewLease(const v1::RenewLeaseRequest& request, Timeout timeout) {
  return Unary(&v1::AgentService::Stub::RenewLease, request, timeout);
}

absl::StatusOr<v1::CompleteAttemptResponse> AgentApi::CompleteAttempt(const v1::CompleteAttemptRequest& request,
                                                                      Timeout timeout) {
  return Unary(&v1::AgentService::Stub::CompleteAttempt, request, timeout);
}

void AgentApi::Cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : calls_) context->TryCancel();
}

}  // namespace benchwire::agent
