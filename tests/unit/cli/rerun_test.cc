// benchwire rerun, on the server and here, with a script as the runner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;

class RerunTest : public ServerFixture {
 protected:
  RerunTest() {
    directory_.Write("benchwire-p2p",
                     "#!/bin/sh\ncat \"$BENCHWIRE_SPEC\"\necho\necho \"seed $BENCHWIRE_SEED\"\nfor a in \"$@\"; do "
                     "echo \"<$a>\"; done\n"
                     "[ \"$BENCHWIRE_SEED\" = 42 ] && exit 0\nexit 8\n",
                     true);
  }
  TempDirectory directory_;
};

TEST_F(RerunTest, SubmitsSpecSeedAndNeedsAgain) {
  const std::string job = AddJob(v1::JOB_STATE_FAILED, "nightly");
  server_.Change([&](FakeState& state) {
    v1::Job& old = *state.FindJob(job);
    old.set_priority(0);
    old.mutable_requirements()->set_cpus(2);
    (*old.mutable_labels())["machine"] = "dev1";
    old.set_spec_digest("abc");
    old.set_submitter("someone");
    old.set_etag("9");
    old.set_failed_attempts(3);
    state.on_create = [](v1::Job& made) { made.set_state(v1::JOB_STATE_SUCCEEDED); };
  });
  EXPECT_EQ(Run({"rerun", job, "--wait"}).code, 0);
  server_.Change([&](FakeState& state) {
    const v1::Job& sent = state.creates.begin()->second.job();
    EXPECT_EQ(sent.ShortDebugString(),
              "display_name: \"nightly\" labels { key: \"machine\" value: \"dev1\" } p2p { backend: P2P_BACKEND_HOST "
              "samples: 20 } "
              "seed: 42 requirements { cpus: 2 } priority: 0");
  });
}

TEST_F(RerunTest, HereRunsTheLocalRunner) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  const Result result =
      Run({"rerun", "--here", job, "--runners", directory_.path(), "--fail-on-verdict", "--", "--quick", "a b"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "{\"backend\":\"P2P_BACKEND_HOST\",\"samples\":20}\nseed 42\n<--fail-on-verdict>\n<--quick>\n<a b>\n");
}

TEST_F(RerunTest, HereNeedsNoServerForAFileAndEndsWithTheRunnersStatus) {
  const std::string file =
      directory_.Write("job.json", R"({"seed": "7", "p2p": {"sizesBytes": ["4096"]}, "specDigest": "00"})");
  const Result result =
      RunCli({"rerun", "--here", file, "--runners", directory_.path(), "--json", "--server", "127.0.0.1:1"});
  EXPECT_EQ(result.code, 8);
  EXPECT_EQ(result.out, "{\"sizes_bytes\":[\"4096\"]}\nseed 7\n<--json>\n");
  EXPECT_THAT(result.err, HasSubstr("SPEC_DIGEST"));
}

TEST_F(RerunTest, HereTakesTheJobsOwnJson) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  const std::string json = Run({"jobs", "show", job, "--json"}).out;
  const Result result = RunCli({"rerun", "--here", "-", "--runners", directory_.path()}, {.input = json});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"samples\":20"));
}

TEST_F(RerunTest, SaysWhatIsMissing) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  TempDirectory empty;
  const Result runner = Run({"rerun", "--here", job, "--runners", empty.path()});
  EXPECT_EQ(runner.code, 3);
  EXPECT_THAT(runner.err, HasSubstr("no runner benchwire-p2p in " + empty.path()));
  EXPECT_EQ(Run({"rerun", "--here", "./nothing.json"}).code, 3);
  EXPECT_EQ(Run({"rerun", "0none"}).code, 3);
  EXPECT_EQ(Run({"rerun", "--here", directory_.Write("x.json", "{}")}).code, 2);
}

}  // namespace
}  // namespace benchwire::cli
