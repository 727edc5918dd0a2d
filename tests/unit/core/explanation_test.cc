#include "server/core/explanation.h"

#include <gtest/gtest.h>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Explanation : public ::testing::Test {
 protected:
  Explanation() { moment_.snapshot.now = kNow; }

  storage::JobRecord Job(const std::string& id, const v1::Requirements& needs, int priority = 50,
                         seconds queued_before = seconds(0)) {
    storage::JobRecord record;
    record.id = id;
    record.job.mutable_p2p();
    record.job.set_state(v1::JOB_STATE_QUEUED);
    record.job.set_priority(priority);
    *record.job.mutable_requirements() = needs;
    *record.job.mutable_timeout() = ToProto(std::chrono::nanoseconds(minutes(60)));
    record.shape = ShapeOf(record.job);
    record.queued_at = (kNow - queued_before).time_since_epoch().count();
    return record;
  }
  void Queue(const storage::JobRecord& record) {
    moment_.places.push_back({record.id, record.job.priority(), record.queued_at});
    QueuedJob job = MakeQueued(record.id, record.job.requirements());
    job.priority = record.job.priority();
    job.queued_at = WallTime(std::chrono::nanoseconds(record.queued_at));
    moment_.snapshot.jobs.push_back(job);
  }
  void Worker(const WorkerLoad& load, bool waiting = true, bool online = true, bool draining = false,
              seconds sick = seconds(0)) {
    WorkerStanding standing{std::make_shared<const WorkerLoad>(load), online, draining, seconds(75), sick};
    moment_.snapshot.workers.push_back({standing.load, waiting && standing.TakesJobs(), standing.TakesJobs()});
    moment_.standings.push_back(std::move(standing));
  }
  // The reasons as `worker OBSTACLE reason`.
  static std::vector<std::string> Reasons(const v1::JobExplanation& explanation) {
    std::vector<std::string> out;
    for (const v1::WorkerExplanation& one : explanation.workers()) {
      out.push_back(one.worker() + " " + v1::Obstacle_Name(one.obstacle()) + " " + one.reason());
    }
    return out;
  }

  QueueMoment moment_;
};

TEST_F(Explanation, HasOneReasonForEachWorkerThoseThatCouldRunItFirst) {
  const storage::JobRecord job = Job("j", Needs(2));
  Queue(job);
  Worker(MakeLoad("a-bare", Machine(0)));
  Worker(MakeLoad("b-busy", Machine(2), {{"r", MakeGrant(Needs(1), {"gpu:0"}, kNow + minutes(30))}}));
  Worker(MakeLoad("c-drained", Machine(2)), false, true, true);
  Worker(MakeLoad("d-silent", Machine(2)), false, false);
  Worker(MakeLoad("e-sick", Machine(2)), true, true, false, seconds(45));
  const v1::JobExplanation out = Explain(job, moment_);
  EXPECT_EQ(out.job(), "jobs/j");
  EXPECT_EQ(out.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(Reasons(out), (std::vector<std::string>{
                              "workers/b-busy OBSTACLE_BUSY busy: 1 of 2 GPU devices free, needs 2; kept for it",
                              "workers/c-drained OBSTACLE_DRAINED drained: an operator took it out of service",
                              "workers/d-silent OBSTACLE_SILENT silent: not heard from for 75 s",
                              "workers/e-sick OBSTACLE_SICK sick: runners crashed there, gets jobs again in 45 s",
                              "workers/a-bare OBSTACLE_INCAPABLE incapable: has 0 healthy GPU devices, needs 2"}));
  EXPECT_EQ(out.summary(), "waits for a worker; 1 could run it");
  EXPECT_EQ(FromProto(out.expected_start_time()), kNow + minutes(30));
  EXPECT_EQ(out.more_workers(), 0);
}

TEST_F(Explanation, WhatIsReservedForAnotherIsSaid) {
  Queue(Job("large", Needs(2), 50, seconds(9)));
  const storage::JobRecord job = Job("j", Needs(1));
  Queue(job);
  Worker(MakeLoad("w", Machine(2), {{"r", MakeGrant(Needs(1), {"gpu:0"}, kNow + minutes(30))}}));
  const v1::JobExplanation out = Explain(job, moment_);
  EXPECT_EQ(Reasons(out), std::vector<std::string>{"workers/w OBSTACLE_RESERVED reserved for jobs/large"});
  EXPECT_EQ(out.queue_place(), 2);
  EXPECT_EQ(FromProto(out.expected_start_time()), kNow + minutes(90));
}

TEST_F(Explanation, AFreeWorkerThatDoesNotAskIsSaid) {
  const storage::JobRecord job = Job("j", Needs(1));
  Queue(job);
  Worker(MakeLoad("w", Machine(2)), false);
  Worker(MakeLoad("x", Machine(2)));
  EXPECT_EQ(Reasons(Explain(job, moment_)),
            (std::vector<std::string>{"workers/w OBSTACLE_NOT_ASKING free, but has not asked for a job",
                                      "workers/x OBSTACLE_NONE free: it is next"}));
}

TEST_F(Explanation, ThePlaceIsByEffectivePriorityAndTime) {
  const storage::JobRecord job = Job("j", Needs(0), 50, seconds(100));
  Queue(Job("higher", Needs(0), 51));
  Queue(Job("later", Needs(0), 50, seconds(99)));
  Queue(Job("earlier", Needs(0), 50, seconds(101)));
  Queue(Job("aged", Needs(0), 30, std::chrono::hours(4)));
  Queue(Job("overdue", Needs(0), 0, std::chrono::hours(16)));
  Queue(job);
  const v1::JobExplanation out = Explain(job, moment_);
  EXPECT_EQ(out.queue_place(), 5);
  EXPECT_EQ(out.queue_length(), 6);
  EXPECT_EQ(out.effective_priority(), 50);
  EXPECT_FALSE(out.has_expected_start_time());
  EXPECT_EQ(out.summary(), "no worker has registered yet");
}

TEST_F(Explanation, TheStartIsNotToldWhereJobsBeforeItAreNotInTheSnapshot) {
  const storage::JobRecord job = Job("j", Needs(0));
  Queue(job);
  Worker(MakeLoad("w", Machine(0)));
  EXPECT_TRUE(Explain(job, moment_).has_expected_start_time());
  moment_.places.push_back({"before", 60, 1});
  EXPECT_FALSE(Explain(job, moment_).has_expected_start_time());
}

TEST_F(Explanation, TheSummarySaysWhatIsMissing) {
  storage::JobRecord job = Job("j", Needs(1));
  Queue(job);
  Worker(MakeLoad("bare", Machine(0)));
  EXPECT_EQ(Explain(job, moment_).summary(), "no registered worker could run it");
  Worker(MakeLoad("drained", Machine(1)), false, true, true);
  EXPECT_EQ(Explain(job, moment_).summary(), "no worker that could run it takes jobs now");
  job.job.set_failed_attempts(2);
  *job.job.mutable_earliest_start_time() = ToProto(kNow + seconds(3));
  EXPECT_EQ(Explain(job, moment_).summary(), "its next attempt may start in 3 s: 2 failed");
}

TEST_F(Explanation, AJobThatDoesNotWaitHasOnlyItsState) {
  storage::JobRecord job = Job("j", Needs(1));
  job.lease.worker = "w";
  Worker(MakeLoad("w", Machine(1)));
  const std::pair<v1::JobState, const char*> cases[] = {
      {v1::JOB_STATE_ASSIGNED, "given to workers/w, which is to start it"},
      {v1::JOB_STATE_RUNNING, "runs on workers/w"},
      {v1::JOB_STATE_SUCCEEDED, "has ended"}};
  for (const auto& [state, summary] : cases) {
    job.job.set_state(state);
    const v1::JobExplanation out = Explain(job, moment_);
    EXPECT_EQ(out.summary(), summary);
    EXPECT_EQ(out.state(), state);
    EXPECT_EQ(out.queue_place(), 0);
    EXPECT_TRUE(out.workers().empty());
  }
  job.job.set_state(v1::JOB_STATE_FAILED);
  job.job.mutable_reason()->set_message("the runner exited with 1");
  EXPECT_EQ(Explain(job, moment_).summary(), "has ended: the runner exited with 1");
}

TEST_F(Explanation, ManyWorkersAreCutAndCounted) {
  const storage::JobRecord job = Job("j", Needs(1));
  Queue(job);
  for (int i = 0; i < 1005; ++i) Worker(MakeLoad("w" + std::to_string(i), Machine(i == 1004 ? 1 : 0)));
  const v1::JobExplanation out = Explain(job, moment_);
  EXPECT_EQ(out.workers_size(), 1000);
  EXPECT_EQ(out.more_workers(), 5);
  EXPECT_EQ(out.workers(0).worker(), "workers/w1004");
}

}  // namespace
}  // namespace benchwire::core
