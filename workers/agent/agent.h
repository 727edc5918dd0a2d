// The worker daemon: keeps a session, leases jobs while it has free slots, and runs each as a RunningAttempt on a
// thread of its own. Before that it delivers what an earlier process left (redelivery.h). Start and Stop are called
// once, from one thread.
#ifndef BENCHWIRE_WORKERS_AGENT_AGENT_H_
#define BENCHWIRE_WORKERS_AGENT_AGENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "benchwire/v1/worker.pb.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"
#include "workers/agent/redelivery.h"
#include "workers/agent/runner_catalog.h"
#include "workers/agent/running_attempt.h"
#include "workers/agent/session.h"
#include "workers/agent/spool.h"
#include "workers/agent/stop_signal.h"

namespace benchwire::agent {

class Agent final : public SessionListener {
 public:
  // `random` must be usable from several threads. `on_refused` is called where the first registration is refused for
  // good.
  Agent(AgentOptions options, v1::Inventory inventory, RunnerCatalog catalog, const Clock& clock, RandomSource& random,
        std::function<void(const absl::Status&)> on_refused);
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() override;

  void Start();
  // Leases no more, stops the runners and gives their jobs back; waits up to AgentOptions::stop_wait for the server to
  // know.
  void Stop();
  // Attempts held now.
  size_t running() const;

  std::map<std::string, v1::Progress> Attempts() override;
  void OnLost(const std::string& attempt) override;
  void OnCancel(const std::string& attempt) override;
  void OnSilence() override;
  void OnRefused(const absl::Status& status) override;

 private:
  struct Slot {
    std::shared_ptr<RunningAttempt> attempt;
    std::thread thread;
    bool done = false;
  };

  void LeaseLoop();
  // Waits for a free slot and a session that is alive. Empty: look again.
  std::string WaitReady();
  void Launch(v1::Lease lease);
  void StopOne(const std::string& attempt, StopCause cause);
  void StopAll(StopCause cause);
  // Joins the threads of attempts that are over.
  void Reap();

  const AgentOptions options_;
  const RunnerCatalog catalog_;
  const FactMap environment_;
  const Clock& clock_;
  RandomSource& random_;
  const std::function<void(const absl::Status&)> on_refused_;
  // The heartbeat has a channel of its own; leasing and work share one.
  AgentApi control_api_;
  AgentApi lease_api_;
  AgentApi work_api_;

  Spool spool_;
  Redelivery redelivery_;
  StopSignal stopping_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Slot> slots_ GUARDED_BY(mutex_);
  Session session_;
  // Runs the redelivery, then starts the session.
  std::thread starter_;
  std::thread lease_thread_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_AGENT_H_
