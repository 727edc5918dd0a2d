// EventService over core::EventLog.
#ifndef BENCHWIRE_SERVER_RPC_EVENT_SERVICE_H_
#define BENCHWIRE_SERVER_RPC_EVENT_SERVICE_H_

#include <benchwire/v1/event_service.grpc.pb.h>

#include "server/core/event_log.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

class EventServiceImpl final : public v1::EventService::CallbackService {
 public:
  EventServiceImpl(CallEnvironment& environment, core::EventLog& events, core::WaitList& waits)
      : environment_(environment), events_(events), waits_(waits) {}

  grpc::ServerWriteReactor<v1::Event>* WatchEvents(grpc::CallbackServerContext* context,
                                                   const v1::WatchEventsRequest* request) override;

 private:
  CallEnvironment& environment_;
  core::EventLog& events_;
  core::WaitList& waits_;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_EVENT_SERVICE_H_
