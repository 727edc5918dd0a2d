// All use cases wired together over one store, with the threads they need. One object to make, load and stop.
#ifndef BENCHWIRE_SERVER_CORE_CORE_H_
#define BENCHWIRE_SERVER_CORE_CORE_H_

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "server/core/attempts.h"
#include "server/core/digests.h"
#include "server/core/dispatcher.h"
#include "server/core/environment.h"
#include "server/core/event_log.h"
#include "server/core/fleet.h"
#include "server/core/jobs.h"
#include "server/core/telemetry.h"
#include "server/core/wait_list.h"
#include "server/core/worker_table.h"

namespace benchwire::core {

struct CoreOptions {
  FleetOptions fleet;
  std::chrono::nanoseconds start_deadline = std::chrono::seconds(10);  // From lease to StartAttempt.
};

class Core {
 public:
  // Takes in what the store holds. `waits` is borrowed; the store's after_commit hook is to call EventLog::OnCommit on
  // it.
  static absl::StatusOr<std::unique_ptr<Core>> Create(CoreEnvironment environment, WaitList& waits,
                                                      const CoreOptions& options);
  ~Core();

  Jobs& jobs() { return jobs_; }
  Fleet& fleet() { return fleet_; }
  Attempts& attempts() { return attempts_; }
  Dispatcher& dispatcher() { return dispatcher_; }
  WorkerTable& workers() { return workers_; }
  Digests& digests() { return digests_; }
  Telemetry& telemetry() { return telemetry_; }
  EventLog& events() { return events_; }
  WaitList& waits() { return waits_; }

  // What is due by the clock: silent workers, unstarted leases, expired jobs, waits that are over. Called by Core's own
  // thread; tests call it.
  void Tick();
  // Tick, for a caller that makes it much more often than workers renew. Where the last one is half a time to live ago,
  // this process or its machine stood still and heard nobody; then no worker is lost for its silence until now.
  void RegularTick();

  // Starts the thread that calls RegularTick every `interval` of real time.
  void StartTicking(std::chrono::milliseconds interval);
  // Ends parked calls and watches, and the threads. The store stays usable.
  void Stop();

 private:
  Core(CoreEnvironment environment, WaitList& waits, const CoreOptions& options);

  const Clock& clock_;
  const std::chrono::nanoseconds standstill_;
  WaitList& waits_;
  WorkerTable workers_;
  Dispatcher dispatcher_;
  Attempts attempts_;
  Fleet fleet_;
  Jobs jobs_;
  Digests digests_;
  Telemetry telemetry_;
  EventLog events_;

  Mutex mutex_;
  CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  MonotonicTime last_tick_;  // Of the thread that ticks.
  std::thread ticker_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_CORE_H_
