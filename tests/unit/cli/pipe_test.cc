// Readers that go away, full devices, Ctrl-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;

using Pipe = ServerFixture;

TEST_F(Pipe, AReaderThatGoesAwayEndsAListQuietly) {
  for (int i = 0; i < 40; ++i) AddJob(v1::JOB_STATE_QUEUED, std::string(8'000, 'x'));
  RunningCli list(With({"jobs", "ls", "--json"}));
  ASSERT_TRUE(list.ReadUntil("jobs/0fake40"));
  list.CloseOutput();
  const Result result = list.Wait();
  EXPECT_EQ(result.code, 141);
  EXPECT_EQ(result.err, "");
}

TEST_F(Pipe, AFollowEndsWhenItsReaderGoesAwayAlthoughNothingComes) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING);
  AddAttempt(job, "wanted line\n", false);
  RunningCli follow(With({"jobs", "logs", "-f", job}));
  ASSERT_TRUE(follow.ReadUntil("wanted line"));
  ASSERT_EQ(server_.OpenStreams(), 1);
  follow.CloseOutput();
  const Result result = follow.Wait();
  EXPECT_EQ(result.code, 141);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(Eventually([&] { return server_.OpenStreams() == 0; }));
}

TEST_F(Pipe, AFullDeviceIsAnErrorWithItsReason) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  AddAttempt(job, "some bytes", true);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"jobs", "ls"}, {"jobs", "ls", "--json"}, {"jobs", "logs", job}, {"--help"}}) {
    const Result result = Run(command, {.output_file = "/dev/full"});
    EXPECT_EQ(result.code, 1) << command[0];
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << command[0];
  }
}

TEST_F(Pipe, AClosedOutputIsAnErrorAndNothingGoesAstray) {
  AddJob(v1::JOB_STATE_QUEUED);
  TempDirectory directory;
  const std::string script = std::string(BENCHWIRE_CLI_PATH) + " --server " + server_.address() + " jobs ls >&- 2> " +
                             directory.path() + "/err";
  EXPECT_EQ(WEXITSTATUS(std::system(script.c_str())), 1);
  EXPECT_THAT(ReadWhole(directory.path() + "/err"), HasSubstr("cannot write the output: Bad file descriptor"));
}

TEST_F(Pipe, CtrlCEndsAFollowAndTheServerSeesIt) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING);
  AddAttempt(job, "begun\n", false);
  RunningCli follow(With({"jobs", "logs", "-f", job}));
  ASSERT_TRUE(follow.ReadUntil("begun"));
  follow.Signal(SIGINT);
  EXPECT_EQ(follow.Wait().code, 130);
  EXPECT_TRUE(Eventually([&] { return server_.OpenStreams() == 0; }));
}

TEST_F(Pipe, CtrlCEndsAWatchOfAllJobs) {
  RunningCli watch(With({"jobs", "watch"}));
  ASSERT_TRUE(Eventually([&] { return server_.OpenStreams() == 1; }));
  const std::string job = AddJob(v1::JOB_STATE_QUEUED);
  ASSERT_TRUE(watch.ReadUntil(job + "\tCREATED\tQUEUED"));
  watch.Signal(SIGINT);
  EXPECT_EQ(watch.Wait().code, 130);
}

}  // namespace
}  // namespace benchwire::cli
