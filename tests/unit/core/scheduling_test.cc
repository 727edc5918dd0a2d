#include "server/core/scheduling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

const v1::Requirements kHost = Needs(0, 1, v1::EXCLUSIVITY_HOST);

WallTime In(int n) { return kNow + minutes(n); }

// A machine with 8 GPUs of which the first `used` are each given to a job `uN` that ends in N minutes.
WorkerLoad Busy(const std::string& id, int used, int first_end = 10) {
  WorkerLoad out = MakeLoad(id, Machine(8));
  for (int i = 0; i < used; ++i) {
    out.grants[id + "u" + std::to_string(i)] = MakeGrant(Needs(1), {"gpu:" + std::to_string(i)}, In(first_end + i));
  }
  return out;
}

Snapshot Of(std::vector<QueuedJob> jobs, std::vector<WorkerView> workers) {
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].queued_at = kNow - hours(1) + std::chrono::seconds(i);
  return {kNow, {}, std::move(jobs), std::move(workers)};
}

std::vector<std::string> Place(const Snapshot& snapshot) { return Placed(snapshot, Decide(snapshot)); }

// Reservations as `job worker minutes`.
std::vector<std::string> Reserve(const Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const Reservation& one : Decide(snapshot).reservations) {
    out.push_back(snapshot.jobs[one.job].id + " " + snapshot.workers[one.worker].load->id + " " +
                  std::to_string((one.start - kNow) / minutes(1)));
  }
  return out;
}

TEST(Decide, TakesJobsInOrderAndSkipsWhatDoesNotFit) {
  const Snapshot snapshot =
      Of({MakeQueued("too-large", Needs(0, 100)), MakeQueued("gpu", Needs(1)), MakeQueued("gpu-2", Needs(1)),
          MakeQueued("any", Needs(0)), MakeQueued("too-many", Needs(0))},
         {View(MakeLoad("bare", Machine(0))), View(MakeLoad("gpus", Machine(2)))});
  EXPECT_THAT(Place(snapshot), ElementsAre("gpu gpus gpu:0", "any bare"));
  EXPECT_THAT(Place(Of(snapshot.jobs, {})), IsEmpty());
  EXPECT_THAT(Place(Of({}, snapshot.workers)), IsEmpty());
}

TEST(Decide, OnlyWaitingWorkersThatTakeJobsGetThem) {
  EXPECT_THAT(Place(Of({MakeQueued("j", Needs(0))},
                       {View(MakeLoad("busy", Machine(0)), false), View(MakeLoad("drained", Machine(0)), true, false),
                        View(MakeLoad("waiting", Machine(0)))})),
              ElementsAre("j waiting"));
}

TEST(Decide, AJobGoesWhereItLeavesTheLeast) {
  const std::vector<WorkerView> workers = {View(MakeLoad("w8", Machine(8))), View(Busy("w8-used", 6)),
                                           View(MakeLoad("w4", Machine(4))), View(MakeLoad("w0", Machine(0, 32))),
                                           View(MakeLoad("w0-small", Machine(0, 4)))};
  EXPECT_THAT(Place(Of({MakeQueued("cpu", Needs(0))}, workers)), ElementsAre("cpu w0-small"));
  EXPECT_THAT(Place(Of({MakeQueued("cpus", Needs(0, 5))}, workers)), ElementsAre("cpus w0"));
  EXPECT_THAT(Place(Of({MakeQueued("gpu", Needs(1))}, workers)), ElementsAre("gpu w8-used gpu:6"));
  EXPECT_THAT(Place(Of({MakeQueued("gpus", Needs(3))}, workers)), ElementsAre("gpus w4 gpu:0 gpu:1 gpu:2"));
  EXPECT_THAT(Place(Of({MakeQueued("host", kHost)}, workers)), ElementsAre("host w0-small"));
}

TEST(Decide, ALargeJobThatDoesNotFitReservesWhereItFitsFirst) {
  const Snapshot snapshot = Of({MakeQueued("large", Needs(8))},
                               {View(Busy("late", 2, 100)), View(Busy("soon", 7, 10)),
                                View(MakeLoad("small", Machine(4))), View(Busy("closed", 1, 1), false, false)});
  EXPECT_THAT(Reserve(snapshot), ElementsAre("large soon 16"));
}

TEST(Decide, JobsBehindAReservationMayNotDelayIt) {
  // Seven GPUs come free in 10 to 16 minutes.
  const auto decide = [](const QueuedJob& behind) {
    return Place(Of({MakeQueued("large", Needs(8, 8)), behind}, {View(Busy("w", 7))}));
  };
  EXPECT_THAT(decide(MakeQueued("short", Needs(1), minutes(16))), ElementsAre("short w gpu:7"));
  EXPECT_THAT(decide(MakeQueued("long", Needs(1), minutes(17))), IsEmpty());
  EXPECT_THAT(decide(MakeQueued("no-gpu", Needs(0), hours(5))), ElementsAre("no-gpu w"));  // The large one fits beside.
  EXPECT_THAT(decide(MakeQueued("cpus", Needs(0, 56), hours(5))), ElementsAre("cpus w"));
  EXPECT_THAT(decide(MakeQueued("cpus", Needs(0, 57), hours(5))), IsEmpty());  // Of 64, the large one needs 8.
}

TEST(Decide, AReservationTakesWhatIsLeftIntoAccount) {
  // Six of eight are wanted. When they are there, two are left for others.
  const auto decide = [](int behind) {
    WorkerLoad load = Busy("w", 4);
    for (auto& [job, grant] : load.grants) grant.expected_end = In(10);
    return Place(Of({MakeQueued("large", Needs(6)), MakeQueued("long", Needs(behind), hours(9))}, {View(load)}));
  };
  EXPECT_THAT(decide(2), ElementsAre("long w gpu:4 gpu:5"));
  EXPECT_THAT(decide(3), IsEmpty());
}

TEST(Decide, NothingIsPlacedBesideTheReservationOfTheWholeMachine) {
  const auto decide = [](const QueuedJob& behind) {
    return Place(Of({MakeQueued("host", kHost), behind}, {View(Busy("w", 1, 30))}));
  };
  EXPECT_THAT(decide(MakeQueued("long", Needs(0), minutes(31))), IsEmpty());
  EXPECT_THAT(decide(MakeQueued("short", Needs(0), minutes(30))), ElementsAre("short w"));
}

TEST(Decide, TheTimeToStartCountsForWhatIsPlacedBeforeAReservation) {
  Snapshot snapshot =
      Of({MakeQueued("large", Needs(8)), MakeQueued("short", Needs(1), minutes(16))}, {View(Busy("w", 7))});
  snapshot.start_deadline = std::chrono::seconds(10);
  EXPECT_THAT(Place(snapshot), IsEmpty());
}

TEST(Decide, OtherWorkersGoOnBesideAReservation) {
  EXPECT_THAT(Place(Of({MakeQueued("large", Needs(8)), MakeQueued("a", Needs(1), hours(9)),
                        MakeQueued("b", Needs(1), hours(9))},
                       {View(Busy("soon", 7, 10)), View(Busy("late", 7, 100))})),
              ElementsAre("a late gpu:7"));
}

TEST(Decide, AJobOfOneDeviceAndOneCpuReservesNothing) {
  EXPECT_THAT(Reserve(Of({MakeQueued("small", Needs(1))}, {View(Busy("w", 8))})), IsEmpty());
  EXPECT_THAT(Reserve(Of({MakeQueued("cpus", Needs(1, 2))}, {View(Busy("w", 8))})), ElementsAre("cpus w 10"));
}

TEST(Decide, EachReservationIsOnAWorkerOfItsOwnAndTheyAreFew) {
  std::vector<QueuedJob> jobs;
  std::vector<WorkerView> workers;
  for (int i = 0; i < 6; ++i) {
    jobs.push_back(MakeQueued("large" + std::to_string(i), Needs(8)));
    workers.push_back(View(Busy("w" + std::to_string(i), 1, 10 + i)));
  }
  EXPECT_THAT(Reserve(Of(jobs, workers)), ElementsAre("large0 w0 10", "large1 w1 11", "large2 w2 12", "large3 w3 13"));
}

TEST(Decide, AWorkerThatDoesNotAskIsReservedFromTheEndOfAJobOnIfAtAll) {
  // Four GPUs are free, but it has as many jobs as it takes.
  EXPECT_THAT(Reserve(Of({MakeQueued("large", Needs(4)), MakeQueued("x", Needs(0, 99))},
                         {View(Busy("full", 4, 10), false), View(MakeLoad("none", Machine(0)))})),
              ElementsAre("large full 10"));
  // One that is idle and does not ask may never ask.
  EXPECT_THAT(Reserve(Of({MakeQueued("large", Needs(4))},
                         {View(MakeLoad("idle", Machine(8)), false), View(MakeLoad("none", Machine(0)))})),
              IsEmpty());
}

TEST(Decide, AHigherPriorityTakesWhatALowerOneHadReserved) {
  Snapshot snapshot =
      Of({MakeQueued("large", Needs(8)), MakeQueued("urgent", Needs(1), hours(9))}, {View(Busy("w", 7))});
  snapshot.jobs[1].priority = 51;
  EXPECT_THAT(Place(snapshot), ElementsAre("urgent w gpu:7"));
}

TEST(Decide, FairShareCountsWhatThisDecisionPlaces) {
  std::vector<QueuedJob> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(MakeQueued("ann" + std::to_string(i), Needs(0)));
  for (int i = 0; i < 3; ++i) jobs.push_back(MakeQueued("bob" + std::to_string(i), Needs(0)));
  for (QueuedJob& job : jobs) job.submitter = job.id.substr(0, 3);
  std::vector<WorkerView> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(View(MakeLoad("w" + std::to_string(i), Machine(0, 1))));
  EXPECT_THAT(Place(Of(jobs, workers)), ElementsAre("ann0 w0", "bob0 w1", "ann1 w2", "bob1 w3"));
}

TEST(ShapeOf, IsTheSameForWhatSchedulingCannotTellApart) {
  v1::Job job;
  job.mutable_p2p();
  *job.mutable_requirements() = Needs(2);
  for (const char* key : {"a", "b", "c", "d"}) (*job.mutable_requirements()->mutable_worker_labels())[key] = "x";
  const std::string shape = ShapeOf(job);
  EXPECT_EQ(shape.size(), 16u);
  v1::Job like = job;
  like.set_priority(7);
  like.set_submitter("ann");
  like.mutable_p2p()->set_samples(9);
  like.mutable_requirements()->clear_worker_labels();
  for (const char* key : {"d", "c", "b", "a"}) (*like.mutable_requirements()->mutable_worker_labels())[key] = "x";
  EXPECT_EQ(ShapeOf(like), shape);
  v1::Job unlike = job;
  unlike.mutable_timeout()->set_seconds(5);
  EXPECT_NE(ShapeOf(unlike), shape);
  unlike = job;
  unlike.mutable_requirements()->set_link_class(v1::LINK_CLASS_NVLINK);
  EXPECT_NE(ShapeOf(unlike), shape);
  unlike = job;
  unlike.clear_p2p();
  EXPECT_NE(ShapeOf(unlike), shape);
}

}  // namespace
}  // namespace benchwire::core
