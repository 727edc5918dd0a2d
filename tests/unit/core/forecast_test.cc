#include "server/core/forecast.h"

#include <gtest/gtest.h>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using std::chrono::minutes;

// Minutes until job `index` starts; -1 where it is not known.
int64_t StartsIn(const Snapshot& snapshot, size_t index) {
  const auto start = ExpectedStart(snapshot, index);
  return start ? (*start - kNow) / minutes(1) : -1;
}

Snapshot Queue(std::vector<QueuedJob> jobs, std::vector<WorkerView> workers) {
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].queued_at = kNow + std::chrono::nanoseconds(i);
  return {kNow, {}, std::move(jobs), std::move(workers)};
}

TEST(ExpectedStart, IsAfterTheJobsThatRunAndThoseBefore) {
  const WorkerLoad busy = MakeLoad("w", Machine(0, 1), {{"r", MakeGrant(Needs(0), {}, kNow + minutes(7))}});
  const Snapshot snapshot = Queue({MakeQueued("a", Needs(0), minutes(10)), MakeQueued("b", Needs(0), minutes(20)),
                                   MakeQueued("c", Needs(0), minutes(30)), MakeQueued("never", Needs(1))},
                                  {View(busy, false)});
  EXPECT_EQ(StartsIn(snapshot, 0), 7);
  EXPECT_EQ(StartsIn(snapshot, 1), 17);
  EXPECT_EQ(StartsIn(snapshot, 2), 37);
  EXPECT_EQ(StartsIn(snapshot, 3), -1);
}

TEST(ExpectedStart, IsNowWhereAWorkerIsFree) {
  const Snapshot snapshot =
      Queue({MakeQueued("a", Needs(0)), MakeQueued("b", Needs(0))}, {View(MakeLoad("w", Machine(0, 2)), false)});
  EXPECT_EQ(StartsIn(snapshot, 1), 0);
}

TEST(ExpectedStart, CountsOnlyWorkersThatTakeJobs) {
  const Snapshot snapshot = Queue({MakeQueued("a", Needs(0))}, {View(MakeLoad("w", Machine(0)), true, false)});
  EXPECT_EQ(StartsIn(snapshot, 0), -1);
}

TEST(ExpectedStart, KnowsReservations) {
  std::map<std::string, Grant> grants;
  for (int i = 0; i < 7; ++i) {
    grants["r" + std::to_string(i)] = MakeGrant(Needs(1), {"gpu:" + std::to_string(i)}, kNow + minutes(10 + i));
  }
  const Snapshot snapshot =
      Queue({MakeQueued("large", Needs(8), minutes(30)), MakeQueued("short", Needs(1), minutes(16)),
             MakeQueued("long", Needs(1), minutes(17))},
            {View(MakeLoad("w", Machine(8), grants))});
  EXPECT_EQ(StartsIn(snapshot, 0), 16);
  EXPECT_EQ(StartsIn(snapshot, 1), 0);
  EXPECT_EQ(StartsIn(snapshot, 2), 46);
}

TEST(ExpectedStart, IsNotToldWhereItWouldTakeTooLong) {
  std::vector<QueuedJob> jobs;
  for (int i = 0; i < 300; ++i) jobs.push_back(MakeQueued("j" + std::to_string(i), Needs(0)));
  const std::vector<WorkerView> one = {View(MakeLoad("w", Machine(0, 1)))};
  EXPECT_EQ(StartsIn(Queue(jobs, one), 250), 250 * 60);
  EXPECT_EQ(StartsIn(Queue(jobs, one), 299), -1);
  for (int i = 300; i < 513; ++i) jobs.push_back(MakeQueued("j" + std::to_string(i), Needs(0)));
  EXPECT_EQ(StartsIn(Queue(jobs, one), 0), -1);
}

}  // namespace
}  // namespace benchwire::core
