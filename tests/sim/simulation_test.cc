// The simulator finds nothing in some seeds (tests/sim/main.cc runs more), repeats itself, and goes red where a guard
// is missing.
#include "tests/sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/sim/history.h"

namespace benchwire::sim {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

class SimulationTest : public testing::Test {
 protected:
  SimulationTest() { spdlog::set_level(spdlog::level::off); }

  // The breaches of the first seed that has some.
  static std::vector<std::string> FirstBreaches(const Guards& guards, uint64_t seeds) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      Outcome outcome = Simulate(seed, guards);
      if (!outcome.breaches.empty()) return outcome.breaches;
    }
    return {};
  }
};

TEST_F(SimulationTest, NothingIsLostOrDoubled) {
  for (uint64_t seed = 1; seed <= 30; ++seed) EXPECT_THAT(Simulate(seed).breaches, IsEmpty()) << "seed=" << seed;
}

TEST_F(SimulationTest, ASeedIsRepeated) {
  const Outcome first = Simulate(7), second = Simulate(7);
  EXPECT_EQ(first.attempts, second.attempts);
  EXPECT_EQ(first.crashes, second.crashes);
}

TEST_F(SimulationTest, AWorkerThatDoesNotFenceItselfOverlaps) {
  EXPECT_THAT(FirstBreaches({.worker = {.fences_itself = false}, .request_ids = true}, 300),
              Contains(StartsWith("OVERLAP")));
}

TEST_F(SimulationTest, AWorkerThatDoesNotAskBeforeItStartsOverlaps) {
  EXPECT_THAT(FirstBreaches({.worker = {.asks_to_start = false}, .request_ids = true}, 300),
              Contains(StartsWith("OVERLAP")));
}

TEST_F(SimulationTest, ClientsWithoutRequestIdsMakeDoubles) {
  EXPECT_THAT(FirstBreaches({.worker = {}, .request_ids = false}, 100), Contains(StartsWith("DOUBLED")));
}

v1::Job MakeJob(v1::JobState state, const std::vector<v1::AttemptState>& attempts) {
  v1::Job job;
  job.set_name("jobs/1");
  job.set_state(state);
  job.set_max_attempts(3);
  for (v1::AttemptState attempt : attempts) {
    v1::Attempt& out = *job.add_attempts();
    out.set_name("jobs/1/attempts/" + std::to_string(job.attempts_size()));
    out.set_state(attempt);
  }
  return job;
}

v1::Event MakeEvent(int64_t revision, const std::string& state) {
  v1::Event event;
  event.set_revision(revision);
  event.set_resource("jobs/1");
  event.set_state("JOB_STATE_" + state);
  return event;
}

TEST(Check, NamesEachKindOfBreach) {
  History history;
  history.submitted["r1"] = {"jobs/1", "jobs/2"};
  history.accepted = {"jobs/1/attempts/2"};
  history.uses = {{"w", "gpu:0", "jobs/1/attempts/1", seconds(0), seconds(10)},
                  {"w", "gpu:0", "jobs/1/attempts/2", seconds(9), seconds(12)},
                  {"w", "", "jobs/3/attempts/1", seconds(0), seconds(10)},
                  {"v", "", "jobs/3/attempts/2", seconds(9), seconds(12)}};
  Record record;
  record.jobs = {MakeJob(v1::JOB_STATE_RUNNING, {v1::ATTEMPT_STATE_SUCCEEDED, v1::ATTEMPT_STATE_FAILED})};
  record.events = {MakeEvent(1, "QUEUED"), MakeEvent(3, "SUCCEEDED"), MakeEvent(4, "RUNNING")};
  const std::vector<std::string> breaches = Check(history, record);
  for (const char* kind : {"LOST jobs/2", "UNFINISHED jobs/1", "DOUBLED request r1", "DOUBLED jobs/1",
                           "ATTEMPTS jobs/1", "REVISION 3", "TRANSITION jobs/1 QUEUED to SUCCEEDED", "OVERLAP jobs/1",
                           "OVERLAP jobs/3", "LOST success of jobs/1/attempts/2", "LOG"}) {
    EXPECT_THAT(breaches, Contains(StartsWith(kind)));
  }
}

}  // namespace
}  // namespace benchwire::sim
