// --wait: the live line, the exit status, Ctrl-C, restarts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class WaitTest : public ServerFixture {
 protected:
  void EndNewJobsWith(v1::JobState state) {
    server_.Change([state](FakeState& fake) {
      fake.on_create = [state](v1::Job& job) {
        job.set_state(state);
        *job.mutable_start_time() = ToProto(SystemClock().Now());
        *job.mutable_end_time() = ToProto(SystemClock().Now() + std::chrono::seconds(12));
        job.mutable_reason()->set_code("SOME_CODE");
      };
    });
  }
  void Progress(const std::string& job, double fraction, const std::string& message) {
    server_.Change([&](FakeState& state) {
      state.FindJob(job)->set_state(v1::JOB_STATE_RUNNING);
      state.FindJob(job)->mutable_progress()->set_fraction(fraction);
      state.FindJob(job)->mutable_progress()->set_message(message);
    });
  }
};

TEST_F(WaitTest, ExitStatusTellsTheEnd) {
  for (const auto& [state, code] : std::vector<std::pair<v1::JobState, int>>{{v1::JOB_STATE_SUCCEEDED, 0},
                                                                             {v1::JOB_STATE_FAILED, 6},
                                                                             {v1::JOB_STATE_TIMED_OUT, 6},
                                                                             {v1::JOB_STATE_QUARANTINED, 6},
                                                                             {v1::JOB_STATE_EXPIRED, 6},
                                                                             {v1::JOB_STATE_CANCELLED, 7}}) {
    EndNewJobsWith(state);
    const Result result = Run({"submit", "p2p", "--wait"});
    EXPECT_EQ(result.code, code);
    EXPECT_THAT(result.err, HasSubstr(v1::JobState_Name(state).substr(10) + " after 12"));
    EXPECT_THAT(result.out, HasSubstr("jobs/0fake"));
  }
}

TEST_F(WaitTest, JsonIsOneObjectTheJobAtItsEnd) {
  EndNewJobsWith(v1::JOB_STATE_SUCCEEDED);
  const Result result = Run({"submit", "p2p", "--wait", "--json"});
  EXPECT_THAT(result.out, HasSubstr(R"("state":"JOB_STATE_SUCCEEDED")"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
}

TEST_F(WaitTest, PlainLinesWithoutATerminal) {
  RunningCli wait(With({"submit", "p2p", "--wait"}));
  ASSERT_TRUE(wait.ReadUntil("QUEUED\n"));
  Progress("jobs/0fake1", 0.5, "bw.unidir\x1b[2J");
  ASSERT_TRUE(wait.ReadUntil("RUNNING  [##########----------]  50 %  bw.unidir\\x1b[2J\n"));
  server_.Change([](FakeState& state) { state.SetJobState("jobs/0fake1", v1::JOB_STATE_SUCCEEDED); });
  const Result result = wait.Wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(result.err, Not(HasSubstr("\r")));
  EXPECT_EQ(result.out, "jobs/0fake1\n");
}

TEST_F(WaitTest, OneLineWrittenOverOnATerminal) {
  RunningCli wait(With({"submit", "p2p", "--wait"}), {.terminal_columns = 40});
  ASSERT_TRUE(wait.ReadUntil("\rQUEUED\x1b[K"));
  Progress("jobs/0fake1", 0.25, "带宽测试带宽测试");
  // 39 cells: a line that fills the last column would wrap.
  ASSERT_TRUE(wait.ReadUntil("\rRUNNING  [#####---------------]  25 % …\x1b[K"));
  server_.Change([](FakeState& state) { state.SetJobState("jobs/0fake1", v1::JOB_STATE_SUCCEEDED); });
  const Result result = wait.Wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("\r\x1b[Kjobs/0fake1 SUCCEEDED"));
}

TEST_F(WaitTest, CtrlCLeavesTheJobAndSaysSo) {
  RunningCli wait(With({"submit", "p2p", "--wait"}));
  ASSERT_TRUE(wait.ReadUntil("QUEUED"));
  wait.Signal(SIGINT);
  const Result result = wait.Wait();
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("jobs/0fake1 goes on"));
  server_.Change([](FakeState& state) { EXPECT_EQ(state.FindJob("jobs/0fake1")->state(), v1::JOB_STATE_QUEUED); });
}

TEST_F(WaitTest, SurvivesARestart) {
  RunningCli wait(With({"submit", "p2p", "--wait"}));
  ASSERT_TRUE(wait.ReadUntil("QUEUED"));
  server_.Stop();
  ASSERT_TRUE(wait.ReadUntil("server not reached, asking again"));
  server_.Change([](FakeState& state) { state.SetJobState("jobs/0fake1", v1::JOB_STATE_SUCCEEDED); });
  server_.Start();
  EXPECT_EQ(wait.Wait().code, 0);
}

}  // namespace
}  // namespace benchwire::cli
