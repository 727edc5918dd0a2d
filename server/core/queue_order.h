// The order in which queued jobs are looked at. Pure.
//
// First by effective priority: a job's priority, raised by 25 points for every 4 hours it has waited, to at most 100. A
// job that has waited 16 hours goes before every priority, in the order of the queue, so that none is starved. Among
// equal ones fair share: the submitter who has the smaller share of the machines goes first, where a share is that of
// the CPUs or of the devices, whichever is larger (dominant resource fairness: Ghodsi et al., NSDI 2011). Then by
// place: time queued, then id.
#ifndef BENCHWIRE_SERVER_CORE_QUEUE_ORDER_H_
#define BENCHWIRE_SERVER_CORE_QUEUE_ORDER_H_

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/core/fit.h"
#include "server/core/scheduling_snapshot.h"

namespace benchwire::core {

inline constexpr std::chrono::hours kAgeingStep{4};
inline constexpr int kAgeingPoints = 25;
inline constexpr int kHighestPriority = 100;
// The effective priority of jobs that have waited kAgeingStep times kHighestPriority / kAgeingPoints.
inline constexpr int kOverduePriority = 101;

// 0 to 101. A job queued after `now`, by a clock that was set back since, counts as new.
int EffectivePriority(int priority, WallTime queued_at, WallTime now);

// Hands out the jobs of a snapshot one by one. The snapshot must live as long.
class QueueOrder {
 public:
  explicit QueueOrder(const Snapshot& snapshot);

  // The index of the next job; nothing at the end.
  std::optional<size_t> Next();
  // The job last handed out was given so much: it counts in its submitter's share from now on.
  void Started(size_t job, const Amount& taken);

 private:
  // To be compared between submitters. Whole numbers, so that equal shares are equal.
  int64_t ShareOf(const std::string& submitter) const;
  void OpenTier();

  const Snapshot& snapshot_;
  std::vector<std::pair<int, size_t>> sorted_;         // Effective priority and job, first to last.
  size_t next_ = 0;                                    // The first of sorted_ that is in no tier yet.
  int tier_ = 0;                                       // Effective priority of the open tier.
  std::map<std::string, std::deque<size_t>> jobs_of_;  // The open tier: places in sorted_, by submitter.
  std::map<std::string, Amount> used_;                 // By submitter.
  Amount all_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_QUEUE_ORDER_H_
