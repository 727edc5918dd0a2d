#include "server/rpc/lease_reactor.h"

#include <utility>

namespace benchwire::rpc {

LeaseReactor::LeaseReactor(CallEnvironment& environment, grpc::CallbackServerContext& context, core::Fleet& fleet,
                           core::Dispatcher& dispatcher, const v1::LeaseJobRequest& request,
                           v1::LeaseJobResponse& response)
    : call_(environment, context, "/benchwire.v1.AgentService/LeaseJob"),
      dispatcher_(dispatcher),
      response_(response),
      handle_(std::make_shared<Handle>(this)) {
  const absl::Status admitted = call_.Admit();
  if (!admitted.ok()) {
    End(admitted);
    return;
  }
  auto wait = fleet.Lease(request, [handle = handle_](absl::StatusOr<v1::LeaseJobResponse> answer) {
    MutexLock lock(handle->mutex);
    if (handle->reactor == nullptr) return;
    if (answer.ok()) handle->reactor->response_ = *std::move(answer);
    handle->reactor->End(answer.status());
  });
  if (!wait.ok()) {
    End(wait.status());
    return;
  }
  MutexLock lock(mutex_);
  wait_ = *wait;
}

void LeaseReactor::OnCancel() {
  core::Dispatcher::WaitId wait = 0;
  {
    MutexLock lock(mutex_);
    wait = wait_;
  }
  dispatcher_.Forget(wait);
  End(absl::CancelledError("the worker went away"));
}

void LeaseReactor::OnDone() {
  {
    MutexLock lock(handle_->mutex);
    handle_->reactor = nullptr;
  }
  delete this;
}

void LeaseReactor::End(const absl::Status& status) {
  MutexLock lock(mutex_);
  if (std::exchange(finished_, true)) return;
  Finish(call_.End(status));
}

}  // namespace benchwire::rpc
