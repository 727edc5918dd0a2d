#include "server/core/forecast.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/core/fit.h"
#include "server/core/scheduling.h"

namespace benchwire::core {
namespace {

constexpr size_t kMostJobs = 512;
constexpr size_t kMostWorkers = 256;
constexpr int kMostEnds = 256;

// Carries the placements out.
void Apply(const Decision& decision, Snapshot& snapshot) {
  std::vector<bool> placed(snapshot.jobs.size());
  for (const Placement& placement : decision.placements) {
    const QueuedJob& job = snapshot.jobs[placement.job];
    WorkerView& worker = snapshot.workers[placement.worker];
    WorkerLoad load = *worker.load;
    load.grants[job.id] = GrantOf(job, placement.devices, snapshot);
    worker.load = std::make_shared<const WorkerLoad>(std::move(load));
    placed[placement.job] = true;
  }
  std::vector<QueuedJob> rest;
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i]) rest.push_back(std::move(snapshot.jobs[i]));
  }
  snapshot.jobs = std::move(rest);
}

// Goes on to the next end of a job and takes away what has ended by then; false where nothing runs.
bool PassToNextEnd(Snapshot& snapshot) {
  WallTime next = WallTime::max();
  for (const WorkerView& worker : snapshot.workers) {
    for (const auto& [job, grant] : worker.load->grants) next = std::min(next, ExpectedEnd(grant, snapshot.now));
  }
  if (next == WallTime::max()) return false;
  const auto ends = [&](const auto& entry) { return ExpectedEnd(entry.second, snapshot.now) <= next; };
  for (WorkerView& worker : snapshot.workers) {
    if (std::none_of(worker.load->grants.begin(), worker.load->grants.end(), ends)) continue;
    WorkerLoad load = *worker.load;
    std::erase_if(load.grants, ends);
    worker.load = std::make_shared<const WorkerLoad>(std::move(load));
  }
  snapshot.now = next;
  return true;
}

}  // namespace

std::optional<WallTime> ExpectedStart(Snapshot snapshot, size_t job) {
  const std::string id = snapshot.jobs[job].id;
  std::erase_if(snapshot.workers, [](const WorkerView& worker) { return !worker.open; });
  if (snapshot.jobs.size() > kMostJobs || snapshot.workers.size() > kMostWorkers) return std::nullopt;
  for (WorkerView& worker : snapshot.workers) worker.waiting = true;
  for (int ends = 0; ends <= kMostEnds; ++ends) {
    while (true) {
      const Decision decision = Decide(snapshot);
      if (decision.placements.empty()) break;
      for (const Placement& placement : decision.placements) {
        if (snapshot.jobs[placement.job].id == id) return snapshot.now;
      }
      Apply(decision, snapshot);
    }
    if (!PassToNextEnd(snapshot)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace benchwire::core
