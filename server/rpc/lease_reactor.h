// One parked LeaseJob call. Finishes exactly once: with a lease, without one when its wait is over, or when its caller
// goes.
#ifndef BENCHWIRE_SERVER_RPC_LEASE_REACTOR_H_
#define BENCHWIRE_SERVER_RPC_LEASE_REACTOR_H_

#include <benchwire/v1/agent_service.pb.h>
#include <grpcpp/grpcpp.h>

#include <memory>

#include "server/base/mutex.h"
#include "server/core/fleet.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

// Deletes itself when gRPC is done with it.
class LeaseReactor final : public grpc::ServerUnaryReactor {
 public:
  LeaseReactor(CallEnvironment& environment, grpc::CallbackServerContext& context, core::Fleet& fleet,
               core::Dispatcher& dispatcher, const v1::LeaseJobRequest& request, v1::LeaseJobResponse& response);

  void OnCancel() override;
  void OnDone() override;

 private:
  // What the dispatcher's callback holds: it may come after the reactor is gone.
  struct Handle {
    explicit Handle(LeaseReactor* owner) : reactor(owner) {}
    Mutex mutex;
    LeaseReactor* reactor GUARDED_BY(mutex);
  };

  void End(const absl::Status& status);

  Call call_;
  core::Dispatcher& dispatcher_;
  v1::LeaseJobResponse& response_;
  std::shared_ptr<Handle> handle_;
  Mutex mutex_;
  bool finished_ GUARDED_BY(mutex_) = false;
  core::Dispatcher::WaitId wait_ GUARDED_BY(mutex_) = 0;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_LEASE_REACTOR_H_
