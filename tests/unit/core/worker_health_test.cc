#include "server/core/worker_health.h"

#include <gtest/gtest.h>

namespace benchwire::core {
namespace {

using std::chrono::minutes;

class Health : public ::testing::Test {
 protected:
  bool Crash(const std::string& job) { return TakeIn(health_, job, AttemptVerdict::kCrashed, now_); }
  // Minutes for which it is sick from now.
  int64_t SickFor() const { return IsSick(health_, now_) ? (health_.sick_until - now_) / minutes(1) : 0; }

  WorkerHealth health_;
  MonotonicTime now_{std::chrono::hours(5)};
};

TEST_F(Health, ThreeJobsThatCrashInARowMakeItSick) {
  EXPECT_FALSE(IsSick(health_, now_));
  EXPECT_FALSE(Crash("a"));
  EXPECT_FALSE(Crash("b"));
  EXPECT_EQ(SickFor(), 0);
  EXPECT_TRUE(Crash("c"));
  EXPECT_EQ(SickFor(), 1);
  now_ += minutes(1);
  EXPECT_EQ(SickFor(), 0);
}

TEST_F(Health, OneJobThatCrashesOftenIsItsOwnFault) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(Crash("a"));
  EXPECT_FALSE(Crash("b"));
  EXPECT_EQ(SickFor(), 0);
}

TEST_F(Health, ASuccessClearsIt) {
  Crash("a");
  Crash("b");
  TakeIn(health_, "c", AttemptVerdict::kSucceeded, now_);
  EXPECT_FALSE(Crash("d"));
  EXPECT_FALSE(Crash("e"));
  EXPECT_TRUE(Crash("f"));
  TakeIn(health_, "g", AttemptVerdict::kSucceeded, now_);  // A job it had before.
  EXPECT_EQ(SickFor(), 0);
  EXPECT_FALSE(Crash("h"));
}

TEST_F(Health, WhatIsNeitherChangesNothing) {
  Crash("a");
  Crash("b");
  EXPECT_FALSE(TakeIn(health_, "c", AttemptVerdict::kNeither, now_));
  EXPECT_TRUE(Crash("d"));
}

TEST_F(Health, EachSicknessIsTwiceAsLongUpToHalfAnHour) {
  Crash("a");
  Crash("b");
  EXPECT_TRUE(Crash("c"));
  for (int length : {1, 2, 4, 8, 16, 30, 30, 30}) {
    EXPECT_EQ(SickFor(), length);
    EXPECT_FALSE(Crash("running-since-before"));
    EXPECT_EQ(SickFor(), length);
    now_ += minutes(length);
    EXPECT_TRUE(Crash("next"));
  }
}

TEST(VerdictOf, ACrashIsARunnerEndedBySomethingElse) {
  const auto verdict = [](v1::AttemptOutcome outcome, const std::string& code) {
    v1::CompleteAttemptRequest request;
    request.set_outcome(outcome);
    request.mutable_reason()->set_code(code);
    return VerdictOf(request);
  };
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_SUCCEEDED, ""), AttemptVerdict::kSucceeded);
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_CRASHED"), AttemptVerdict::kCrashed);
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_FAILED, "SPAWN_FAILED"), AttemptVerdict::kCrashed);
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_FAILED"), AttemptVerdict::kNeither);
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_BAD_SPEC, "BAD_SPEC"), AttemptVerdict::kNeither);
  EXPECT_EQ(verdict(v1::ATTEMPT_OUTCOME_CANCELLED, "RUNNER_CRASHED"), AttemptVerdict::kNeither);
}

}  // namespace
}  // namespace benchwire::core
