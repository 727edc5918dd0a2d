#include "server/core/lifecycle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/base/sha256.h"
#include "server/base/status.h"
#include "tests/fakes/fake_random.h"

namespace benchwire::core {
namespace {

constexpr WallTime kNow{std::chrono::hours(1)};

class Lifecycle : public ::testing::Test {
 protected:
  Lifecycle() {
    record_.id = "j";
    record_.job.set_name("jobs/j");
    record_.job.set_state(v1::JOB_STATE_QUEUED);
    record_.job.set_max_attempts(3);
    record_.queued_at = 7;
  }
  void Assign(const std::string& worker = "w1") {
    attempt_ = core::Assign(record_,
                            {.worker = worker,
                             .incarnation = "incarnation",
                             .request_id = "request",
                             .token_sha256 = Sha256Hex("token" + std::to_string(record_.attempt + 1)),
                             .devices = {"gpu:1"}},
                            kNow);
  }
  void Run(const std::string& worker = "w1") {
    Assign(worker);
    ASSERT_TRUE(Start(record_, attempt_, kNow).ok());
  }
  void EndAs(v1::AttemptState state, bool may_try_again = true) {
    Ending ending;
    ending.state = state;
    ending.reason.set_code("CODE");
    ending.may_try_again = may_try_again;
    End(record_, attempt_, ending, lost_, kNow, random_);
    if (state == v1::ATTEMPT_STATE_WORKER_LOST) lost_.push_back(attempt_.worker());
  }
  v1::Fence Fence() const {
    v1::Fence fence;
    fence.set_attempt(attempt_.name());
    fence.set_epoch(record_.lease.epoch);
    fence.set_token("token" + std::to_string(record_.attempt));
    return fence;
  }
  // Seconds from now to the earliest start.
  double Backoff() const {
    return std::chrono::duration<double>(FromProto(record_.job.earliest_start_time()) - kNow).count();
  }

  storage::JobRecord record_;
  v1::Attempt attempt_;
  std::vector<std::string> lost_;
  FakeRandom random_;
};

TEST_F(Lifecycle, RunsFromAssignedToSucceeded) {
  Assign();
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_ASSIGNED);
  EXPECT_EQ(attempt_.state(), v1::ATTEMPT_STATE_ASSIGNED);
  EXPECT_EQ(attempt_.name(), "jobs/j/attempts/1");
  EXPECT_EQ(attempt_.worker(), "workers/w1");
  EXPECT_EQ(attempt_.devices(0), "gpu:1");
  EXPECT_EQ(record_.lease.epoch, 1);
  ASSERT_TRUE(Start(record_, attempt_, kNow).ok());
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_RUNNING);
  const std::string started = record_.job.SerializeAsString();
  ASSERT_TRUE(Start(record_, attempt_, kNow + std::chrono::seconds(1)).ok());
  EXPECT_EQ(record_.job.SerializeAsString(), started);
  EndAs(v1::ATTEMPT_STATE_SUCCEEDED);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(record_.job.has_end_time());
  EXPECT_EQ(ErrorReason(Start(record_, attempt_, kNow)), "STALE_LEASE");
}

TEST_F(Lifecycle, FailuresBackOffAndEndTheJobAtItsLimit) {
  record_.job.set_max_attempts(10);
  for (int failed = 1; failed < 10; ++failed) {
    Run();
    EXPECT_FALSE(record_.job.has_earliest_start_time());
    EndAs(v1::ATTEMPT_STATE_FAILED);
    EXPECT_EQ(record_.job.state(), v1::JOB_STATE_QUEUED);
    EXPECT_EQ(record_.job.failed_attempts(), failed);
    EXPECT_NEAR(Backoff(), 1 << (failed - 1), 0.2 * (1 << (failed - 1)));
    EXPECT_EQ(record_.queued_at, 7);  // Its old place.
  }
  Run();
  EndAs(v1::ATTEMPT_STATE_FAILED);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(record_.job.reason().code(), "CODE");
  EXPECT_EQ(record_.job.lost_attempts(), 0);
}

TEST_F(Lifecycle, TheBackOffIsAtMostFiveMinutes) {
  record_.job.set_max_attempts(1000);
  for (int failed : {9, 10, 40, 900}) {
    record_.job.set_failed_attempts(failed - 1);
    Run();
    EndAs(v1::ATTEMPT_STATE_FAILED);
    EXPECT_NEAR(Backoff(), failed == 9 ? 256 : 300, 60);
  }
}

TEST_F(Lifecycle, TheBackOffIsSpreadByAFifthToBothSides) {
  record_.job.set_max_attempts(1000);
  double least = 1e9, most = 0;
  for (int i = 0; i < 300; ++i) {
    record_.job.set_failed_attempts(6);
    Run();
    EndAs(v1::ATTEMPT_STATE_FAILED);
    least = std::min(least, Backoff());
    most = std::max(most, Backoff());
  }
  EXPECT_GE(least, 64 * 0.8);
  EXPECT_LE(least, 64 * 0.82);
  EXPECT_GE(most, 64 * 1.18);
  EXPECT_LE(most, 64 * 1.2);
}

TEST_F(Lifecycle, TheTimeToExpireBeginsAnewWheneverItIsQueued) {
  const auto expires_in = [&] { return record_.expires_at - kNow.time_since_epoch().count(); };
  SetExpiry(record_, kNow);
  EXPECT_EQ(record_.expires_at, 0);
  record_.job.mutable_queue_ttl()->set_seconds(90);
  SetExpiry(record_, kNow);
  EXPECT_EQ(expires_in(), 90'000'000'000);
  for (v1::AttemptState ends : {v1::ATTEMPT_STATE_RELEASED, v1::ATTEMPT_STATE_WORKER_LOST}) {
    record_.expires_at = 1;
    Run();
    EndAs(ends);
    EXPECT_EQ(expires_in(), 90'000'000'000) << ends;
  }
  Run();
  EndAs(v1::ATTEMPT_STATE_FAILED);  // Not while it waits for its next attempt.
  EXPECT_NEAR(static_cast<double>(expires_in()) / 1e9, 90 + Backoff(), 1e-6);
}

TEST_F(Lifecycle, AJobExpiresWithItsReason) {
  record_.job.mutable_queue_ttl()->set_seconds(1);
  record_.job.mutable_queue_ttl()->set_nanos(500'000'000);
  Expire(record_, kNow);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_EXPIRED);
  EXPECT_TRUE(IsTerminal(record_.job.state()));
  EXPECT_EQ(record_.job.reason().code(), "QUEUE_EXPIRED");
  EXPECT_EQ(record_.job.reason().message(), "it waited in the queue longer than its queue_ttl of 1.5 s");
  EXPECT_EQ(FromProto(record_.job.end_time()), kNow);
}

TEST_F(Lifecycle, ABadSpecIsNotTriedAgain) {
  Run();
  EndAs(v1::ATTEMPT_STATE_FAILED, false);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(record_.job.failed_attempts(), 1);
}

TEST_F(Lifecycle, ATimeoutEndsTheJob) {
  Run();
  EndAs(v1::ATTEMPT_STATE_TIMED_OUT);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_TIMED_OUT);
  EXPECT_EQ(record_.job.failed_attempts(), 0);
}

TEST_F(Lifecycle, AReleasedAttemptCountsAsNothing) {
  for (int i = 0; i < 20; ++i) {
    Assign("w" + std::to_string(i));
    EndAs(v1::ATTEMPT_STATE_RELEASED);
    EXPECT_EQ(record_.job.state(), v1::JOB_STATE_QUEUED);
  }
  EXPECT_EQ(record_.job.failed_attempts() + record_.job.lost_attempts(), 0);
  EXPECT_FALSE(record_.job.has_earliest_start_time());
}

TEST_F(Lifecycle, LosingTwoWorkersQuarantines) {
  Run("w1");
  EndAs(v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(record_.job.failed_attempts(), 0);
  EXPECT_EQ(ErrorReason(CheckFence(record_, Fence())), "STALE_LEASE");  // What the lost worker still sends.
  Run("w2");
  EndAs(v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_QUARANTINED);
  EXPECT_EQ(record_.job.reason().code(), "WORKERS_LOST");
}

TEST_F(Lifecycle, LosingOneWorkerThreeTimesQuarantines) {
  for (int loss = 1; loss <= 3; ++loss) {
    Run("w1");
    EndAs(v1::ATTEMPT_STATE_WORKER_LOST);
    EXPECT_EQ(record_.job.lost_attempts(), loss);
    EXPECT_EQ(record_.job.state(), loss < 3 ? v1::JOB_STATE_QUEUED : v1::JOB_STATE_QUARANTINED);
  }
}

TEST_F(Lifecycle, FailuresAndLossesAreCountedApart) {
  record_.job.set_max_attempts(2);
  Run();
  EndAs(v1::ATTEMPT_STATE_FAILED);
  Run();
  EndAs(v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(record_.job.failed_attempts(), 1);
  EXPECT_EQ(record_.job.lost_attempts(), 1);
}

TEST_F(Lifecycle, CancelEndsAtOnceWhatDoesNotRun) {
  EXPECT_TRUE(*Cancel(record_, nullptr, "", kNow));
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(record_.job.reason().message(), "cancelled by a caller");
  EXPECT_FALSE(*Cancel(record_, nullptr, "again", kNow));
  EXPECT_EQ(record_.job.reason().message(), "cancelled by a caller");
}

TEST_F(Lifecycle, CancelOfAnAssignedJobEndsItsAttempt) {
  Assign();
  EXPECT_TRUE(*Cancel(record_, &attempt_, "why", kNow));
  EXPECT_EQ(record_.job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(attempt_.state(), v1::ATTEMPT_STATE_CANCELLED);
  EXPECT_EQ(ErrorReason(Start(record_, attempt_, kNow)), "CANCELLED");
}

TEST_F(Lifecycle, CancelOfARequeuedJobLeavesItsEndedAttempt) {
  Run();
  EndAs(v1::ATTEMPT_STATE_FAILED);
  EXPECT_TRUE(*Cancel(record_, &attempt_, "", kNow));
  EXPECT_EQ(attempt_.state(), v1::ATTEMPT_STATE_FAILED);
}

TEST_F(Lifecycle, CancelOfARunningJobIsAskedForAndHowItThenEnds) {
  struct Case {
    v1::AttemptState ends;
    v1::JobState job;
  };
  for (const Case& c : {Case{v1::ATTEMPT_STATE_CANCELLED, v1::JOB_STATE_CANCELLED},
                        Case{v1::ATTEMPT_STATE_FAILED, v1::JOB_STATE_CANCELLED},
                        Case{v1::ATTEMPT_STATE_RELEASED, v1::JOB_STATE_CANCELLED},
                        Case{v1::ATTEMPT_STATE_WORKER_LOST, v1::JOB_STATE_CANCELLED},
                        Case{v1::ATTEMPT_STATE_SUCCEEDED, v1::JOB_STATE_SUCCEEDED}}) {
    record_.job.set_state(v1::JOB_STATE_QUEUED);
    Run();
    EXPECT_TRUE(*Cancel(record_, &attempt_, "why", kNow));
    EXPECT_EQ(record_.job.state(), v1::JOB_STATE_RUNNING);
    EXPECT_TRUE(record_.job.cancel_requested());
    EXPECT_FALSE(*Cancel(record_, &attempt_, "why not", kNow));
    EndAs(c.ends);
    EXPECT_EQ(record_.job.state(), c.job) << c.ends;
    EXPECT_FALSE(record_.job.cancel_requested());
    EXPECT_EQ(record_.job.reason().message(), c.job == v1::JOB_STATE_CANCELLED ? "why" : "") << c.ends;
  }
  EXPECT_EQ(ErrorReason(Cancel(record_, nullptr, "", kNow).status()), "ALREADY_TERMINAL");
}

TEST_F(Lifecycle, OnlyTheNewestLeaseHoldsTheFence) {
  Assign();
  const v1::Fence first = Fence();
  EXPECT_TRUE(CheckFence(record_, first).ok());
  v1::Fence wrong = first;
  wrong.set_token("token2");
  EXPECT_EQ(ErrorReason(CheckFence(record_, wrong)), "STALE_LEASE");
  wrong = first;
  wrong.clear_token();
  EXPECT_EQ(ErrorReason(CheckFence(record_, wrong)), "STALE_LEASE");
  wrong = first;
  wrong.set_epoch(2);
  EXPECT_EQ(ErrorReason(CheckFence(record_, wrong)), "STALE_LEASE");
  wrong = first;
  wrong.set_attempt("jobs/j/attempts/2");
  EXPECT_EQ(ErrorReason(CheckFence(record_, wrong)), "STALE_LEASE");
  EndAs(v1::ATTEMPT_STATE_RELEASED);
  Assign();
  EXPECT_EQ(ErrorReason(CheckFence(record_, first)), "STALE_LEASE");
  EXPECT_TRUE(CheckFence(record_, Fence()).ok());
}

TEST(EndingOf, EachOutcomeHasItsEnding) {
  const std::vector<std::pair<v1::AttemptOutcome, v1::AttemptState>> cases = {
      {v1::ATTEMPT_OUTCOME_SUCCEEDED, v1::ATTEMPT_STATE_SUCCEEDED},
      {v1::ATTEMPT_OUTCOME_FAILED, v1::ATTEMPT_STATE_FAILED},
      {v1::ATTEMPT_OUTCOME_TRY_AGAIN, v1::ATTEMPT_STATE_FAILED},
      {v1::ATTEMPT_OUTCOME_BAD_SPEC, v1::ATTEMPT_STATE_FAILED},
      {v1::ATTEMPT_OUTCOME_TIMED_OUT, v1::ATTEMPT_STATE_TIMED_OUT},
      {v1::ATTEMPT_OUTCOME_CANCELLED, v1::ATTEMPT_STATE_CANCELLED},
      {v1::ATTEMPT_OUTCOME_RELEASED, v1::ATTEMPT_STATE_RELEASED}};
  EXPECT_EQ(static_cast<int>(cases.size()), v1::AttemptOutcome_ARRAYSIZE - 1);
  for (const auto& [outcome, state] : cases) {
    v1::CompleteAttemptRequest request;
    request.set_outcome(outcome);
    EXPECT_EQ(EndingOf(request).state, state);
    EXPECT_EQ(EndingOf(request).may_try_again, outcome != v1::ATTEMPT_OUTCOME_BAD_SPEC);
  }
}

}  // namespace
}  // namespace benchwire::core
