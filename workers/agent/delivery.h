// Brings the end of an attempt to the server: waits for the acknowledgements of its batches, then repeats the
// completion until the server took it or called the lease stale. One thread; the batches are carried by a ReportStream
// on threads of its own.
#ifndef BENCHWIRE_WORKERS_AGENT_DELIVERY_H_
#define BENCHWIRE_WORKERS_AGENT_DELIVERY_H_

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "benchwire/v1/agent_service.pb.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"
#include "workers/agent/outbox.h"
#include "workers/agent/session.h"
#include "workers/agent/stop_signal.h"

namespace benchwire::agent {

class Delivery {
 public:
  // The references must outlive the delivery. `outbox` is finished. `lost`: the server called the lease stale; batches
  // have no place to go then, the completion still goes, as evidence. `given_up` is polled: true ends the delivery.
  Delivery(const AgentOptions& options, AgentApi& api, Session& session, RandomSource& random, Outbox& outbox,
           const StopSignal& lost, std::function<bool()> given_up)
      : options_(options),
        api_(api),
        session_(session),
        random_(random),
        outbox_(outbox),
        lost_(lost),
        given_up_(std::move(given_up)) {}

  // True: the server has answered for good, so that there is nothing more to do. False: given up.
  bool Run(v1::CompleteAttemptRequest request);

 private:
  enum class Answer { kDone, kAgain, kAgainNow };

  // What to do after an error of CompleteAttempt; may change the request.
  Answer OnRefused(const absl::Status& status, v1::CompleteAttemptRequest* request);
  Answer OnMissingReports(const absl::Status& status, v1::CompleteAttemptRequest* request);
  void WaitAcknowledged();
  void Pause(std::chrono::milliseconds delay);

  const AgentOptions& options_;
  AgentApi& api_;
  Session& session_;
  RandomSource& random_;
  Outbox& outbox_;
  const StopSignal& lost_;
  const std::function<bool()> given_up_;
};

// Errors that the same call will give again.
bool IsFinal(const absl::Status& status);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_DELIVERY_H_
