#include "server/core/worker_table.h"

#include <algorithm>
#include <iterator>

#include "server/base/status.h"
#include "server/core/environment.h"

namespace benchwire::core {

void WorkerTable::Put(const storage::WorkerRecord& record) {
  MutexLock lock(mutex_);
  Entry& entry = workers_[record.id];
  if (entry.record.session != record.session) {
    worker_of_session_.erase(entry.record.session);
    entry.sinks.clear();
  }
  entry.record = record;
  entry.last_heard = clock_.Monotonic();
  entry.last_seen =
      record.worker.state() == v1::WORKER_STATE_OFFLINE ? FromProto(record.worker.last_seen_time()) : clock_.Now();
  if (!record.session.empty()) worker_of_session_[record.session] = record.id;
}

void WorkerTable::SetDraining(const std::string& worker, bool draining) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it != workers_.end()) it->second.record.draining = draining;
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
  Entry& entry = workers_[worker];
  entry.last_heard = clock_.Monotonic();
  entry.last_seen = clock_.Now();
  return worker;
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
    std::string why = WhyIncapable(entry.record.worker.inventory(), kind, requirements);
    if (why.empty()) return {};
    out[id] = std::move(why);
  }
  if (out.empty()) out["(none)"] = "no worker has registered yet";
  return out;
}

std::optional<WorkerLoad> WorkerTable::LoadOf(const std::string& worker) const {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end() || it->second.record.draining) return std::nullopt;
  return WorkerLoad{it->second.record.worker.inventory(), it->second.grants};
}

void WorkerTable::AddGrant(const std::string& worker, const std::string& job, Grant grant) {
  MutexLock lock(mutex_);
  workers_[worker].grants[job] = std::move(grant);
}

void WorkerTable::RemoveGrant(const std::string& worker, const AttemptId& attempt) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end()) return;
  auto grant = it->second.grants.find(attempt.job);
  if (grant != it->second.grants.end() && grant->second.attempt == attempt.number) it->second.grants.erase(grant);
}

std::vector<AttemptId> WorkerTable::Forgotten(const std::string& worker, std::set<AttemptId> unheld) {
  MutexLock lock(mutex_);
  auto it = workers_.find(worker);
  if (it == workers_.end()) return {};
  std::vector<AttemptId> out;
  std::set_intersection(unheld.begin(), unheld.end(), it->second.unheld.begin(), it->second.unheld.end(),
                        std::back_inserter(out));
  it->second.unheld = std::move(unheld);
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
  std::vector<std::weak_ptr<ReportSink>>& sinks = workers_[worker].sinks;
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
    for (const auto& [job, grant] : it->second.grants) worker.add_jobs(JobName(job));
  }
  if (worker.state() == v1::WORKER_STATE_ONLINE && record.draining) worker.set_state(v1::WORKER_STATE_DRAINING);
  return worker;
}

}  // namespace benchwire::core
