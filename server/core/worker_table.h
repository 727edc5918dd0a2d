// What the server knows of its workers in memory only: who was heard from when, what each has been given, how far its
// attempts have come, and where to push what it should know at once. Rebuilt from the store when the server starts. Any
// thread; nothing here blocks.
#ifndef BENCHWIRE_SERVER_CORE_WORKER_TABLE_H_
#define BENCHWIRE_SERVER_CORE_WORKER_TABLE_H_

#include <benchwire/v1/agent_service.pb.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"
#include "server/base/resource_name.h"
#include "server/core/scheduling_snapshot.h"
#include "server/core/worker_health.h"
#include "storage/records.h"

namespace benchwire::core {

// An open report stream of a worker.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  // Must not block.
  virtual void Push(const v1::ReportResponse& response) = 0;
};

// How a worker stands at one moment.
struct WorkerStanding {
  std::shared_ptr<const WorkerLoad> load;
  bool online = false;
  bool draining = false;
  std::chrono::nanoseconds silence{0};   // Since it was heard from.
  std::chrono::nanoseconds sick_for{0};  // From now. 0: not sick.

  bool TakesJobs() const { return online && !draining && sick_for.count() == 0; }
};

class WorkerTable {
 public:
  explicit WorkerTable(const Clock& clock) : clock_(clock) {}

  // Takes in a worker as stored and counts it as heard from now. An earlier session of it is forgotten.
  void Put(const storage::WorkerRecord& record);

  // An end of a drain also ends a sickness: someone has looked at the machine.
  void SetDraining(const std::string& worker, bool draining);

  // An attempt of a job ended on the worker. Returns whether the worker has fallen sick by it.
  bool NoteEnd(const std::string& worker, const std::string& job, AttemptVerdict verdict);

  // The worker whose current session this is. FAILED_PRECONDITION/STALE_SESSION.
  absl::StatusOr<std::string> WorkerOf(const std::string& session) const;
  // As WorkerOf, and counts the worker as heard from now.
  absl::StatusOr<std::string> Heard(const std::string& session);

  // The server itself was deaf: counts every worker that has a session as heard from now.
  void ForgiveSilence();

  // Workers not heard from for longer than `silence`.
  std::vector<std::string> Silent(std::chrono::nanoseconds silence) const;
  bool IsSilent(const std::string& worker, std::chrono::nanoseconds silence) const;

  // Empty where some known worker could run such a job; otherwise why each could not, by worker.
  std::map<std::string, std::string> WhyIncapableAll(const std::string& kind,
                                                     const v1::Requirements& requirements) const;

  // Every known worker, by id. Shares what it tells of with the table, so that many workers cost little.
  std::vector<WorkerStanding> Standings() const;
  void AddGrant(const std::string& worker, const std::string& job, Grant grant);
  // Only the attempt's own: a later one of the same job keeps its grant.
  void RemoveGrant(const std::string& worker, const AttemptId& attempt);

  // `unheld`: attempts that run on the worker by the store and that it does not name. Returns those that it did not
  // name for `least` and longer, in no call between: it has forgotten them. Calls made before a lease may come after
  // its start, late or twice, so two in a row do not say enough.
  std::vector<AttemptId> Forgotten(const std::string& worker, const std::set<AttemptId>& unheld,
                                   std::chrono::nanoseconds least);

  void SetProgress(const std::string& attempt, const v1::Progress& progress);
  void ClearProgress(const std::string& attempt);
  std::optional<v1::Progress> ProgressOf(const std::string& attempt) const;

  // The sink gets what is pushed to the worker while it lives.
  void AddSink(const std::string& worker, std::weak_ptr<ReportSink> sink);
  void Push(const std::string& worker, const v1::ReportResponse& response);

  // The worker as callers see it.
  v1::Worker Describe(const storage::WorkerRecord& record) const;

 private:
  struct Entry {
    std::shared_ptr<const WorkerLoad> load;  // Replaced, never changed: snapshots share it.
    std::string session;                     // Empty: offline.
    bool draining = false;
    MonotonicTime last_heard;
    WallTime last_seen;
    std::map<AttemptId, MonotonicTime> unheld;  // Since when, see Forgotten.
    WorkerHealth health;
    std::vector<std::weak_ptr<ReportSink>> sinks;
  };

  Entry& EntryOf(const std::string& worker) REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Entry> workers_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> worker_of_session_ GUARDED_BY(mutex_);
  std::map<std::string, v1::Progress> progress_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_WORKER_TABLE_H_
