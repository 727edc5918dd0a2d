#include "server/core/queue_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using testing::ElementsAre;

QueuedJob Waiting(const std::string& id, int priority, nanoseconds waited, const std::string& submitter = "") {
  QueuedJob out = MakeQueued(id, Needs(0));
  out.priority = priority;
  out.queued_at = kNow - waited;
  out.submitter = submitter;
  return out;
}

// The ids in their order; every job is given one CPU where `start` is set.
std::vector<std::string> Order(const Snapshot& snapshot, bool start = false) {
  QueueOrder order(snapshot);
  std::vector<std::string> out;
  while (const auto job = order.Next()) {
    out.push_back(snapshot.jobs[*job].id);
    if (start) order.Started(*job, {1, 0});
  }
  return out;
}

TEST(EffectivePriority, RisesInStepsToAHundredAndIsOverdueThen) {
  struct Case {
    int priority;
    nanoseconds waited;
    int effective;
  };
  for (const Case& c :
       {Case{0, hours(0), 0}, Case{0, hours(4) - nanoseconds(1), 0}, Case{0, hours(4), 25}, Case{50, hours(4), 75},
        Case{50, hours(8), 100}, Case{90, hours(4), 100}, Case{0, hours(12), 75}, Case{100, hours(12), 100},
        Case{0, hours(16), 101}, Case{100, hours(16), 101}, Case{0, hours(10'000), 101}, Case{70, -hours(9), 70}}) {
    EXPECT_EQ(EffectivePriority(c.priority, kNow - c.waited, kNow), c.effective)
        << c.priority << " " << c.waited.count();
  }
}

TEST(QueueOrder, IsByEffectivePriorityThenPlaceThenId) {
  const Snapshot snapshot{kNow,
                          {},
                          {Waiting("low", 10, hours(1)), Waiting("aged", 30, hours(5)), Waiting("b", 50, minutes(1)),
                           Waiting("a", 50, minutes(1)), Waiting("early", 50, minutes(2)), Waiting("high", 100, {}),
                           Waiting("overdue-2", 0, hours(17)), Waiting("overdue-1", 0, hours(18))},
                          {}};
  EXPECT_THAT(Order(snapshot), ElementsAre("overdue-1", "overdue-2", "high", "aged", "early", "a", "b", "low"));
}

TEST(QueueOrder, EqualOnesGoToTheSubmitterWhoHasLess) {
  Snapshot snapshot{kNow,
                    {},
                    {Waiting("ann-1", 50, minutes(9), "ann"), Waiting("ann-2", 50, minutes(8), "ann"),
                     Waiting("ann-3", 50, minutes(7), "ann"), Waiting("bob-1", 50, minutes(1), "bob"),
                     Waiting("bob-2", 50, {}, "bob"), Waiting("ann-high", 51, {}, "ann")},
                    {}};
  EXPECT_THAT(Order(snapshot, true), ElementsAre("ann-high", "bob-1", "ann-1", "bob-2", "ann-2", "ann-3"));
  // What is not started does not count.
  EXPECT_THAT(Order(snapshot), ElementsAre("ann-high", "ann-1", "ann-2", "ann-3", "bob-1", "bob-2"));
  // What runs counts.
  snapshot.workers = {View(MakeLoad("w", Machine(0, 8), {{"x", MakeGrant(Needs(0, 3), {}, kNow + hours(1), "bob")}}))};
  EXPECT_THAT(Order(snapshot, true), ElementsAre("ann-high", "ann-1", "ann-2", "ann-3", "bob-1", "bob-2"));
}

TEST(QueueOrder, AShareIsThatOfCpusOrOfDevicesWhicheverIsLarger) {
  // Ann has 2 of 64 CPUs and 1 of 4 GPUs, Bob 8 of 64 CPUs.
  Snapshot snapshot{kNow,
                    {},
                    {Waiting("ann", 50, minutes(9), "ann"), Waiting("bob", 50, {}, "bob")},
                    {View(MakeLoad("w", Machine(4, 64),
                                   {{"x", MakeGrant(Needs(1, 2), {"gpu:0"}, kNow + hours(1), "ann")},
                                    {"y", MakeGrant(Needs(0, 8), {}, kNow + hours(1), "bob")}}))}};
  EXPECT_THAT(Order(snapshot), ElementsAre("bob", "ann"));
  // A job that has the machine for itself has all of it.
  snapshot.workers = {
      View(MakeLoad("w", Machine(4, 64), {{"x", MakeGrant(Needs(1, 16), {"gpu:0"}, kNow, "ann")}})),
      View(MakeLoad("v", Machine(4, 64), {{"y", MakeGrant(Needs(0, 1, v1::EXCLUSIVITY_HOST), {}, kNow, "bob")}}))};
  EXPECT_THAT(Order(snapshot), ElementsAre("ann", "bob"));
}

TEST(QueueOrder, OverdueJobsGoByPlaceWhateverTheShares) {
  const Snapshot snapshot{kNow,
                          {},
                          {Waiting("ann-1", 0, hours(20), "ann"), Waiting("ann-2", 0, hours(19), "ann"),
                           Waiting("bob", 0, hours(18), "bob")},
                          {}};
  EXPECT_THAT(Order(snapshot, true), ElementsAre("ann-1", "ann-2", "bob"));
}

}  // namespace
}  // namespace benchwire::core
