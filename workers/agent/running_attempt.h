// One attempt on this worker, from its lease to its accepted completion: StartAttempt, one child process, its report,
// its outcome. Run() is the whole life, on a thread of its own, which is also the one the kernel ties the child to
// (keeper.h). Stop, Abandon, name and progress: any thread.
//
// The completion is kept on disk (spool.h) and repeated until the server took it or called the lease stale.
#ifndef BENCHWIRE_WORKERS_AGENT_RUNNING_ATTEMPT_H_
#define BENCHWIRE_WORKERS_AGENT_RUNNING_ATTEMPT_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "benchwire/v1/agent_service.pb.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"
#include "workers/agent/outbox.h"
#include "workers/agent/outcome.h"
#include "workers/agent/runner_catalog.h"
#include "workers/agent/runner_report.h"
#include "workers/agent/session.h"
#include "workers/agent/spool.h"
#include "workers/agent/stop_request.h"
#include "workers/agent/stop_signal.h"

namespace benchwire::agent {

// What attempts share; outlives them.
struct AttemptContext {
  const AgentOptions& options;
  AgentApi& api;
  Session& session;
  const Clock& clock;
  RandomSource& random;
  const RunnerCatalog& catalog;
  // The agent's own facts.
  const FactMap& environment;
  Spool& spool;
};

class RunningAttempt {
 public:
  RunningAttempt(const AttemptContext& context, v1::Lease lease);
  RunningAttempt(const RunningAttempt&) = delete;
  RunningAttempt& operator=(const RunningAttempt&) = delete;

  void Run();
  // Stops the runner, where one runs.
  void Stop(StopCause cause) { stop_.Request(cause); }
  // The agent ends: no more waiting for the server.
  void Abandon();

  const std::string& name() const { return lease_.fence().attempt(); }
  v1::Progress progress() const { return outbox_.progress(); }
  // The server may count its devices as free, though its runner may still be ending.
  bool cut_off() const;

 private:
  // StartAttempt until the server has decided. False: the attempt is over.
  bool Begin();
  void RunRunner(const OfferedRunner& runner);
  RunnerEnd RunChild(const OfferedRunner& runner, RunnerReport& report, absl::Status* spawn_error);
  v1::CompleteAttemptRequest MakeCompletion(const Outcome& outcome) const;
  void Complete(v1::CompleteAttemptRequest request);
  // Waits; ends early where a stop is requested or the agent ends.
  void Pause(std::chrono::milliseconds delay);

  const AttemptContext context_;
  const v1::Lease lease_;
  StopRequest stop_;
  Outbox outbox_;
  // The report stream heard that the lease is stale.
  StopSignal lost_;
  StopSignal abandoned_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_RUNNING_ATTEMPT_H_
