#include "server/core/queue_order.h"

#include <algorithm>
#include <tuple>

namespace benchwire::core {

int EffectivePriority(int priority, WallTime queued_at, WallTime now) {
  constexpr int64_t kSteps = kHighestPriority / kAgeingPoints;
  const int64_t steps = std::clamp<int64_t>((now - queued_at) / kAgeingStep, 0, kSteps);
  if (steps == kSteps) return kOverduePriority;
  return std::min(priority + static_cast<int>(steps) * kAgeingPoints, kHighestPriority);
}

QueueOrder::QueueOrder(const Snapshot& snapshot) : snapshot_(snapshot) {
  for (size_t i = 0; i < snapshot.jobs.size(); ++i) {
    const QueuedJob& job = snapshot.jobs[i];
    sorted_.emplace_back(EffectivePriority(job.priority, job.queued_at, snapshot.now), i);
  }
  std::sort(sorted_.begin(), sorted_.end(), [&](const auto& a, const auto& b) {
    const QueuedJob& x = snapshot.jobs[a.second];
    const QueuedJob& y = snapshot.jobs[b.second];
    return std::tie(b.first, x.queued_at, x.id) < std::tie(a.first, y.queued_at, y.id);
  });
  for (const WorkerView& worker : snapshot.workers) {
    const Amount has = AmountOf(*worker.load->inventory);
    all_.cpus += has.cpus;
    all_.devices += has.devices;
    for (const auto& [job, grant] : worker.load->grants) {
      const Amount taken = AmountTaken(*worker.load->inventory, grant.requirements, grant.devices.size());
      used_[grant.submitter].cpus += taken.cpus;
      used_[grant.submitter].devices += taken.devices;
    }
  }
}

int64_t QueueOrder::ShareOf(const std::string& submitter) const {
  const auto used = used_.find(submitter);
  if (used == used_.end()) return 0;
  // cpus / all cpus and devices / all devices, both times both.
  return std::max(used->second.cpus * std::max<int64_t>(all_.devices, 1),
                  used->second.devices * std::max<int64_t>(all_.cpus, 1));
}

void QueueOrder::OpenTier() {
  if (next_ == sorted_.size()) return;
  tier_ = sorted_[next_].first;
  for (; next_ < sorted_.size() && sorted_[next_].first == tier_; ++next_) {
    // Overdue jobs go by place alone: as if all were of one submitter.
    const std::string& submitter = snapshot_.jobs[sorted_[next_].second].submitter;
    jobs_of_[tier_ == kOverduePriority ? "" : submitter].push_back(next_);
  }
}

std::optional<size_t> QueueOrder::Next() {
  if (jobs_of_.empty()) OpenTier();
  if (jobs_of_.empty()) return std::nullopt;
  const auto rank = [&](const auto& entry) { return std::pair(ShareOf(entry.first), entry.second.front()); };
  const auto best = std::min_element(jobs_of_.begin(), jobs_of_.end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  const size_t job = sorted_[best->second.front()].second;
  best->second.pop_front();
  if (best->second.empty()) jobs_of_.erase(best);
  return job;
}

void QueueOrder::Started(size_t job, const Amount& taken) {
  Amount& used = used_[snapshot_.jobs[job].submitter];
  used.cpus += taken.cpus;
  used.devices += taken.devices;
}

}  // namespace benchwire::core
