// A worker of a simulation: what the agent does, over a network that fails, on a clock of its own, on a machine that
// crashes and freezes.
#ifndef BENCHWIRE_TESTS_SIM_WORKER_H_
#define BENCHWIRE_TESTS_SIM_WORKER_H_

#include <benchwire/v1/agent_service.pb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/history.h"
#include "tests/sim/server.h"
#include "tests/sim/world.h"

namespace benchwire::sim {

// What a guarded worker does; a test that removes one must see a breach.
struct WorkerGuards {
  bool fences_itself = true;  // Kills its runners when the server is silent.
  bool asks_to_start = true;  // Starts a runner only when StartAttempt was answered.
};

class Worker {
 public:
  Worker(World& world, Server& server, History& history, std::string id, WorkerGuards guards);

  // A new process; what runs in the old one ends.
  void Restart();
  // Nothing of it happens for so long; then everything that was due.
  void Freeze(nanoseconds time);
  // Nobody hears it and it hears nobody for so long.
  void CutOff(nanoseconds time);

 private:
  struct Attempt {
    v1::Lease lease;
    bool running = false;
    nanoseconds begin{0};
    std::string log;
    std::vector<v1::ReportRequest> batches;  // All that were made; the server has the first `acknowledged`.
    int64_t acknowledged = 0;
    bool reporting = false;
    v1::AttemptOutcome outcome = v1::ATTEMPT_OUTCOME_UNSPECIFIED;  // Set when it is over.
  };
  using Life = int64_t;

  // Runs `action` later in this life, when the worker is not frozen.
  void Later(nanoseconds delay, std::function<void()> action);
  template <typename Response>
  void Send(nanoseconds timeout, std::function<void(core::Core&, std::function<void(absl::StatusOr<Response>)>)> serve,
            std::function<void(absl::StatusOr<Response>)> done);
  // Time as its own clock shows it, in true time.
  nanoseconds Own(nanoseconds time) const {
    return nanoseconds(static_cast<int64_t>(static_cast<double>(time.count()) * rate_));
  }

  void Register();
  void Renew();
  void WatchSilence();
  bool Silent() const;
  void Lease(const std::string& request_id);
  void LeaseAgain(nanoseconds delay);
  void Begin(const v1::Lease& lease);
  void StartAttempt(const std::string& name);
  void Run(const std::string& name);
  void Write(const std::string& name, int64_t left);
  void Report(const std::string& name);
  void Finish(const std::string& name, v1::AttemptOutcome outcome);
  void Complete(const std::string& name);
  // The runner is gone, and the attempt with it.
  void Drop(const std::string& name);
  void EndUse(Attempt& attempt);
  // Records that it ran from its beginning until now.
  void AddUse(const Attempt& attempt);
  Attempt* Find(const std::string& name);

  World& world_;
  Server& server_;
  History& history_;
  const std::string id_;
  const WorkerGuards guards_;
  const double rate_;  // True seconds in a second of its clock.

  Life life_ = 0;
  nanoseconds frozen_until_{0};
  nanoseconds cut_until_{0};
  std::string session_;
  std::string incarnation_;
  nanoseconds heard_{0};  // When the latest renewal that was answered was sent.
  nanoseconds ttl_{0};
  std::map<std::string, Attempt> attempts_;
};

}  // namespace benchwire::sim

#endif  // BENCHWIRE_TESTS_SIM_WORKER_H_
