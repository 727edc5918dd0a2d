#include "server/core/worker_table.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/core/environment.h"
#include "server/core/fit.h"

namespace benchwire::core {

WorkerTable::Entry& WorkerTable::EntryOf(const std::string& worker) {
  Entry& entry = workers_[worker];
  if (entry.load == nullptr) {
    entry.load = std::make_shared<const WorkerLoad>(WorkerLoad{worker, std::make_shared<const v1::Inventory>(), {}});
  }
  return entry;
}

void WorkerTable::Put(const storage::WorkerRecord& record) {
  MutexLock lock(mutex_);
  Entry& entry = EntryOf(record.id);
  if (entry.session != record.session) {
    worker_of_session_.erase(entry.session);
    entry.sinks.clear();
  }
  entry.session = record.session;
  entry.draining = record.draining;
  WorkerLoad load = *entry.load;
  load.inventory = std::make_shared<const v1::Inventory>(record.worker.inventory());
  entry.load = std::make_shared<const WorkerLoad>(std::move(load));
  entry.last_heard = clock_.Monotonic();
  entry.last_seen =
      record.worker.state() == v1::WORKER_STATE_OFFLINE ? FromProto(record.worker.last_seen_time()) : clock_.Now();
  if (!record.session.empty()) worker_of_session_[record.session] = record.id;
}

void WorkerTable::SetDraining(const std::string& worker, bool draining) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end()) return;
  it->second.draining = draining;
  if (!draining) it->second.health = {};
}

bool WorkerTable::NoteEnd(const std::string& worker, const std::string& job, AttemptVerdict verdict) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  return it != workers_.end() && TakeIn(it->second.health, job, verdict, clock_.Monotonic());
}

absl::StatusOr<std::string> WorkerTable::WorkerOf(const std::string& session) const {
  MutexLock lock(mutex_);
  auto it = worker_of_session_.find(session);
  if (it != worker_of_session_.end() && !session.empty()) return it->second;
  return Precondition("STALE_SESSION", "the session is not current; register again");
}

absl::StatusOr<std::string> WorkerTable::Heard(const std::string& session) {
  ASSIGN_OR_RETURN(const std::string worker, WorkerOf(session));
  MutexLock lock(mutex_);
  Entry& entry = EntryOf(worker);
  entry.last_heard = clock_.Monotonic();
  entry.last_seen = clock_.Now();
  return worker;
}

void WorkerTable::ForgiveSilence() {
  MutexLock lock(mutex_);
  for (const auto& [session, worker] : worker_of_session_) workers_.at(worker).last_heard = clock_.Monotonic();
}

std::vector<std::string> WorkerTable::Silent(std::chrono::nanoseconds silence) const {
  MutexLock lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [session, worker] : worker_of_session_) {
    if (clock_.Monotonic() - workers_.at(worker).last_heard > silence) out.push_back(worker);
  }
  return out;
}

bool WorkerTable::IsSilent(const std::string& worker, std::chrono::nanoseconds silence) const {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  return it == workers_.end() || clock_.Monotonic() - it->second.last_heard > silence;
}

std::map<std::string, std::string> WorkerTable::WhyIncapableAll(const std::string& kind,
                                                                const v1::Requirements& requirements) const {
  MutexLock lock(mutex_);
  std::map<std::string, std::string> out;
  for (const auto& [id, entry] : workers_) {
    std::string why = WhyIncapable(*entry.load->inventory, kind, requirements);
    if (why.empty()) return {};
    out[id] = std::move(why);
  }
  if (out.empty()) out["(none)"] = "no worker has registered yet";
  return out;
}

std::vector<WorkerStanding> WorkerTable::Standings() const {
  MutexLock lock(mutex_);
  const MonotonicTime now = clock_.Monotonic();
  std::vector<WorkerStanding> out;
  out.reserve(workers_.size());
  for (const auto& [id, entry] : workers_) {
    const std::chrono::nanoseconds sick =
        IsSick(entry.health, now) ? entry.health.sick_until - now : std::chrono::nanoseconds(0);
    out.push_back({entry.load, !entry.session.empty(), entry.draining, now - entry.last_heard, sick});
  }
  return out;
}

void WorkerTable::AddGrant(const std::string& worker, const std::string& job, Grant grant) {
  MutexLock lock(mutex_);
  Entry& entry = EntryOf(worker);
  WorkerLoad load = *entry.load;
  load.grants[job] = std::move(grant);
  entry.load = std::make_shared<const WorkerLoad>(std::move(load));
}

void WorkerTable::RemoveGrant(const std::string& worker, const AttemptId& attempt) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end()) return;
  const auto& grants = it->second.load->grants;
  const auto grant = grants.find(attempt.job);
  if (grant == grants.end() || grant->second.attempt != attempt.number) return;
  WorkerLoad load = *it->second.load;
  load.grants.erase(attempt.job);
  it->second.load = std::make_shared<const WorkerLoad>(std::move(load));
}

std::vector<AttemptId> WorkerTable::Forgotten(const std::string& worker, const std::set<AttemptId>& unheld,
                                              std::chrono::nanoseconds least) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end()) return {};
  std::vector<AttemptId> out;
  std::map<AttemptId, MonotonicTime> since;
  for (const AttemptId& attempt : unheld) {
    const auto before = it->second.unheld.find(attempt);
    since[attempt] = before == it->second.unheld.end() ? clock_.Monotonic() : before->second;
    if (clock_.Monotonic() - since[attempt] >= least && before != it->second.unheld.end()) out.push_back(attempt);
  }
  it->second.unheld = std::move(since);
  return out;
}

void WorkerTable::SetProgress(const std::string& attempt, const v1::Progress& progress) {
  MutexLock lock(mutex_);
  progress_[attempt] = progress;
}

void WorkerTable::ClearProgress(const std::string& attempt) {
  MutexLock lock(mutex_);
  progress_.erase(attempt);
}

std::optional<v1::Progress> WorkerTable::ProgressOf(const std::string& attempt) const {
  MutexLock lock(mutex_);
  auto it = progress_.find(attempt);
  if (it == progress_.end()) return std::nullopt;
  return it->second;
}

void WorkerTable::AddSink(const std::string& worker, std::weak_ptr<ReportSink> sink) {
  MutexLock lock(mutex_);
  std::vector<std::weak_ptr<ReportSink>>& sinks = EntryOf(worker).sinks;
  std::erase_if(sinks, [](const auto& old) { return old.expired(); });
  sinks.push_back(std::move(sink));
}

void WorkerTable::Push(const std::string& worker, const v1::ReportResponse& response) {
  std::vector<std::shared_ptr<ReportSink>> open;
  {
    MutexLock lock(mutex_);
    auto it = workers_.find(worker);
    if (it == workers_.end()) return;
    for (const auto& sink : it->second.sinks) {
      if (auto strong = sink.lock()) open.push_back(std::move(strong));
    }
  }
  for (const auto& sink : open) sink->Push(response);
}

v1::Worker WorkerTable::Describe(const storage::WorkerRecord& record) const {
  MutexLock lock(mutex_);
  v1::Worker worker = record.worker;
  worker.set_etag(EtagOf(record.revision));
  auto it = workers_.find(record.id);
  if (it != workers_.end()) {
    *worker.mutable_last_seen_time() = ToProto(it->second.last_seen);
    for (const auto& [job, grant] : it->second.load->grants) worker.add_jobs(JobName(job));
  }
  if (worker.state() != v1::WORKER_STATE_ONLINE) return worker;
  const MonotonicTime now = clock_.Monotonic();
  if (record.draining) {
    worker.set_state(v1::WORKER_STATE_DRAINING);
  } else if (it != workers_.end() && IsSick(it->second.health, now)) {
    worker.set_state(v1::WORKER_STATE_SICK);
    *worker.mutable_sick_until_time() = ToProto(clock_.Now() + (it->second.health.sick_until - now));
  }
  return worker;
}

}  // namespace benchwire::core
