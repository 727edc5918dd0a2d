// Brings what an earlier process of this worker left in the spool to the server, under the incarnation that ran it. To
// be done before the agent registers its own incarnation, which ends the leases of the earlier ones: until then the
// server still takes the results, and after that only as evidence. Run: one thread; Stop: any.
#ifndef BENCHWIRE_WORKERS_AGENT_REDELIVERY_H_
#define BENCHWIRE_WORKERS_AGENT_REDELIVERY_H_

#include <map>
#include <string>
#include <vector>

#include "benchwire/v1/worker.pb.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"
#include "workers/agent/session.h"
#include "workers/agent/spool.h"
#include "workers/agent/stop_signal.h"

namespace benchwire::agent {

class Redelivery final : public SessionListener {
 public:
  // The references must outlive it.
  Redelivery(const AgentOptions& options, v1::Inventory inventory, const Clock& clock, RandomSource& random,
             Spool& spool);

  // Returns when all is delivered, after Stop, or where the server has answered for redelivery_patience and not taken
  // all: the rest stays in the spool for the next start.
  void Run();
  void Stop();

  std::map<std::string, v1::Progress> Attempts() override;
  void OnLost(const std::string& attempt) override;
  void OnCancel(const std::string&) override {}  // It has ended already.
  void OnSilence() override {}                   // No runner runs.
  void OnRefused(const absl::Status& status) override;

 private:
  using Group = std::vector<FinishedAttempt>;

  void RunGroup(const std::string& incarnation, Group group);
  void DeliverOne(FinishedAttempt finished, Session& session, MonotonicTime deadline);

  const AgentOptions& options_;
  const v1::Inventory inventory_;
  const Clock& clock_;
  RandomSource& random_;
  Spool& spool_;
  AgentApi api_;
  StopSignal stopping_;
  StopSignal refused_;
  Mutex mutex_;
  // The attempts of the group at work, each with whether the server called it stale.
  std::map<std::string, StopSignal> lost_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_REDELIVERY_H_
