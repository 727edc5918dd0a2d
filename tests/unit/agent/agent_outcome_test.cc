// How attempts end: whatever a runner does costs its own job alone, with the exact outcome and reason.
#include "tests/unit/agent/agent_fixture.h"

namespace benchwire::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AgentOutcomeTest : public AgentTest {
 protected:
  AgentOutcomeTest() { StartAgent(); }
};

TEST_F(AgentOutcomeTest, ReportsEverythingARunnerTells) {
  ASSERT_EQ(setenv("SECRET_TOKEN", "do-not-pass", 1), 0);
  const std::string name = server_.AddJob("p2p", "succeed", milliseconds(60'000), {"gpu:GPU-1", "gpu:GPU-2", "numa:0"});
  const auto done = server_.WaitCompletion(name);
  ASSERT_EQ(unsetenv("SECRET_TOKEN"), 0);

  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_FALSE(done.has_reason());
  EXPECT_EQ(done.exit_code(), 0);
  EXPECT_EQ(done.result().p2p().verified_bytes(), 123);
  EXPECT_EQ(done.environment().at("compiler"), "gcc");
  EXPECT_EQ(done.environment().at("hostname"), "from-the-runner");
  EXPECT_EQ(done.environment().at("agent_version"), BENCHWIRE_VERSION);
  ASSERT_EQ(done.warnings_size(), 1);
  EXPECT_EQ(done.warnings(0).code(), "SMALL");
  EXPECT_EQ(done.runner_version(), "1.2.3");
  EXPECT_FALSE(done.log_truncated());

  const FakeAttempt attempt = server_.Get(name);
  EXPECT_EQ(done.last_sequence(), attempt.last_sequence);
  ASSERT_EQ(attempt.points.size(), 1U);
  EXPECT_EQ(attempt.points[0].step(), 1);
  ASSERT_EQ(attempt.measurements.size(), 1U);
  EXPECT_EQ(attempt.measurements[0].value(), 5);
  EXPECT_THAT(attempt.log, StartsWith("to stdout\nto stderr\n"));
  EXPECT_THAT(attempt.log, HasSubstr("\nBENCHWIRE_SEED=42\n"));
  EXPECT_THAT(attempt.log, HasSubstr("\nBENCHWIRE_DEVICES=gpu:GPU-1,gpu:GPU-2,numa:0\n"));
  EXPECT_THAT(attempt.log, HasSubstr("\nCUDA_VISIBLE_DEVICES=GPU-1,GPU-2\n"));
  EXPECT_THAT(attempt.log, HasSubstr("\ndrwx------\n"));
  EXPECT_THAT(attempt.log, Not(HasSubstr("SECRET_TOKEN")));
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, SendsTheFilesARunnerNames) {
  const std::string name = AddJob("artifacts");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  const FakeAttempt attempt = server_.Get(name);
  ASSERT_EQ(attempt.artifacts.size(), 2U);
  EXPECT_TRUE(attempt.artifacts.at("out/big.txt") == std::string(3'000'000, 'z'));
  EXPECT_EQ(attempt.artifacts.at("note.txt"), "hello\n");
  ASSERT_EQ(attempt.artifact_ends.size(), 2U);
  EXPECT_EQ(attempt.artifact_ends[0].media_type(), "text/plain");
  EXPECT_EQ(attempt.artifact_ends[0].size_bytes(), 3'000'000);
  EXPECT_EQ(attempt.artifact_ends[1].media_type(), "application/octet-stream");
  EXPECT_EQ(attempt.artifact_ends[1].sha256(), "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_EQ(attempt.points.size(), 1U);
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, NamesTheSignalOfACrash) {
  const auto done = Complete("crash");
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_FAILED);
  EXPECT_EQ(done.reason().code(), "RUNNER_CRASHED");
  EXPECT_THAT(done.reason().message(), HasSubstr("SIGSEGV"));
  EXPECT_FALSE(done.has_exit_code());
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, MapsExitCodes) {
  struct Case {
    const char* spec;
    v1::AttemptOutcome outcome;
    const char* code;
    int exit_code;
  };
  for (const Case& c : {Case{"exit-75", v1::ATTEMPT_OUTCOME_TRY_AGAIN, "TRY_AGAIN", 75},
                        Case{"exit-64", v1::ATTEMPT_OUTCOME_BAD_SPEC, "BAD_SPEC", 64},
                        Case{"exit-7", v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_FAILED", 7},
                        Case{"error", v1::ATTEMPT_OUTCOME_FAILED, "NO_MEMORY", 1},
                        Case{"no-result", v1::ATTEMPT_OUTCOME_FAILED, "NO_RESULT", 0},
                        Case{"result-then-fail", v1::ATTEMPT_OUTCOME_FAILED, "RUNNER_FAILED", 9}}) {
    const auto done = Complete(c.spec);
    EXPECT_EQ(done.outcome(), c.outcome) << c.spec;
    EXPECT_EQ(done.reason().code(), c.code) << c.spec;
    EXPECT_EQ(done.exit_code(), c.exit_code) << c.spec;
    EXPECT_FALSE(done.has_result()) << c.spec;
  }
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, NamesLineFieldAndValueOfABadEvent) {
  struct Case {
    const char* spec;
    const char* message;
  };
  for (const Case& c :
       {Case{"garbage", "event line 2: event: 'th"}, Case{"garbage-at-exit", "event line 1: event:"},
        Case{"nul", "event line 1: measurement.case: 'a\\x00b' is not valid; expected no control characters"},
        Case{"duplicate", "event line 1: value: 'value' is not valid; expected each key once"},
        Case{"nan", "event line 1: measurement.value: 'NaN' is not valid; expected a finite number"},
        Case{"two-results", "event line 2: result: '' is not valid; expected at most one result"},
        Case{"stolen-artifact", "event line 2: artifact.path: 'stolen' is not valid; expected a regular file below"},
        Case{"long-line", "a line of at most 1 MiB"}}) {
    const auto done = Complete(c.spec);
    EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_FAILED) << c.spec;
    EXPECT_EQ(done.reason().code(), "BAD_EVENT") << c.spec;
    EXPECT_THAT(done.reason().message(), HasSubstr(c.message)) << c.spec;
    EXPECT_FALSE(done.has_result()) << c.spec;
  }
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, KillsARunnerThatIgnoresTermAtItsTimeout) {
  const std::string name = AddJob("hang", milliseconds(300));
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_TIMED_OUT);
  EXPECT_EQ(done.reason().code(), "TIMED_OUT");
  EXPECT_FALSE(done.has_exit_code());
  EXPECT_EQ(server_.Get(name).log, "started\n");
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, KeepsHeadAndTailOfALogFlood) {
  const std::string name = AddJob("flood-log");
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_TRUE(done.log_truncated());
  const FakeAttempt attempt = server_.Get(name);
  const std::string marker =
      "\n[benchwire: " + std::to_string(50'000'007 - (9 << 20)) + " bytes of log dropped here]\n";
  EXPECT_EQ(attempt.log.size(), (size_t{9} << 20) + marker.size());
  EXPECT_EQ(attempt.log.find(marker), size_t{8} << 20);
  EXPECT_THAT(attempt.log.substr(attempt.log.size() - 8), "ythe end");
  EXPECT_LE(attempt.largest, size_t{1} << 20);
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, CarriesAFloodOfEventsInOrder) {
  const std::string name = AddJob("flood-events");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  const FakeAttempt attempt = server_.Get(name);
  ASSERT_EQ(attempt.points.size(), 20'000U);
  for (size_t i = 0; i < attempt.points.size(); ++i) ASSERT_EQ(attempt.points[i].step(), static_cast<int64_t>(i));
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, LeavesNoProcessOfARunnerBehind) {
  const std::string name = AddJob("grandchild");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  const auto [in_group, outside] = PidsIn(server_.Get(name).log);
  ASSERT_GT(in_group, 1);
  ASSERT_GT(outside, 1);
  EXPECT_TRUE(IsGone(in_group));
  EXPECT_TRUE(IsGone(outside));
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, KeepsLogBytesThatAreNotText) {
  const std::string name = AddJob("gbk");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_EQ(server_.Get(name).log, std::string("\xc4\xe3\xba\xc3\n\x00\x01", 7));
}

TEST_F(AgentOutcomeTest, GivesBackAKindItDoesNotOffer) {
  const std::string name = server_.AddJob("mappo", "{}", milliseconds(1000));
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_RELEASED);
  EXPECT_EQ(done.reason().code(), "KIND_NOT_OFFERED");
  EXPECT_FALSE(server_.Get(name).started);
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, FailsWhereTheRunnerCannotBeStarted) {
  std::filesystem::rename(work_dir_.path(), work_dir_.path() + "-away");
  const auto done = Complete("quick");
  std::filesystem::rename(work_dir_.path() + "-away", work_dir_.path());
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_FAILED);
  EXPECT_EQ(done.reason().code(), "SPAWN_FAILED");
  EXPECT_THAT(done.reason().message(), HasSubstr("No such file"));
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, StopsOnCancelAtOnce) {
  const std::string name = AddJob("obey");
  ASSERT_TRUE(WaitLog(name, "started"));
  server_.Cancel(name);
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_CANCELLED);
  EXPECT_EQ(done.reason().code(), "CANCELLED");
  // The runner had its chance to end well.
  EXPECT_THAT(server_.Get(name).log, HasSubstr("stopping\n"));
  // The heartbeat of a 45 s session is far away: it was the stream that told.
  EXPECT_EQ(server_.renewals(), 0);
  ExpectNextJobRuns();
}

TEST_F(AgentOutcomeTest, GivesBackItsJobWhenItStops) {
  const std::string name = AddJob("obey");
  ASSERT_TRUE(WaitLog(name, "started"));
  agent_->Stop();
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_RELEASED);
  EXPECT_EQ(done.reason().code(), "WORKER_STOPPED");
}

TEST_F(AgentOutcomeTest, KeepsAResultThatWasCompletedWhileStopping) {
  const std::string name = AddJob("finish-on-term");
  ASSERT_TRUE(WaitLog(name, "started"));
  agent_->Stop();
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
}

}  // namespace
}  // namespace benchwire::agent
