// benchwire jobs series, against services in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/status.h"
#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SeriesCommand : public ServerFixture {
 protected:
  SeriesCommand() {
    job_ = AddJob(v1::JOB_STATE_SUCCEEDED);
    AddAttempt(job_, "", true);
    attempt_ = job_ + "/attempts/1";
  }
  std::string job_, attempt_;
};

TEST_F(SeriesCommand, WithoutAMetricListsWhatThereIs) {
  AddPoints(attempt_, "loss", {{1, 0.5}, {2, 0.25}}, "0");
  AddPoints(attempt_, "reward", {{7, 1.0 / 3}});
  EXPECT_EQ(Run({"jobs", "series", job_}).out,
            "METRIC\tLABELS\tPOINTS\tLAST STEP\tLAST VALUE\n"
            "loss\tgpu=0\t2\t2\t0.25\n"
            "reward\t\t1\t7\t0.3333333333333333\n");
  EXPECT_EQ(
      Run({"jobs", "series", job_, "--json", "--label", "gpu=0"}).out,
      R"({"name":")" + attempt_ +
          R"(/series/1","metric":"loss","labels":{"gpu":"0"},"pointCount":"2","lastPoint":{"step":"2","value":0.25}})"
          "\n");
}

TEST_F(SeriesCommand, RowsAreTabsCsvOrJson) {
  AddPoints(attempt_, "lo,ss", {{1, 0.5}, {2, -1e300}}, "0");
  AddPoints(attempt_, "lo,ss", {{3, 4}}, "1");
  EXPECT_EQ(Run({"jobs", "series", job_, "lo,ss"}).out,
            "METRIC\tLABELS\tSTEP\tVALUE\nlo,ss\tgpu=0\t1\t0.5\nlo,ss\tgpu=0\t2\t-1e+300\nlo,ss\tgpu=1\t3\t4\n");
  EXPECT_EQ(Run({"jobs", "series", attempt_, "lo,ss", "--csv", "--label", "gpu=1"}).out,
            "metric,labels,step,value\n\"lo,ss\",gpu=1,3,4\n");
  EXPECT_EQ(
      Run({"jobs", "series", job_, "lo,ss", "--label", "gpu=1", "--json", "--attempt", "1"}).out,
      R"({"series":{"name":")" + attempt_ +
          R"(/series/2","metric":"lo,ss","labels":{"gpu":"1"},"pointCount":"1","lastPoint":{"step":"3","value":4}},)"
          R"("points":[{"step":"3","value":4}]})"
          "\n");
}

TEST_F(SeriesCommand, ALongSeriesIsAskedForInParts) {
  std::vector<std::pair<int64_t, double>> points;
  std::string expected = "metric,labels,step,value\n";
  for (int64_t i = 0; i < 1'000; ++i) {
    points.emplace_back(i * i, static_cast<double>(i));
    expected += "loss,," + std::to_string(i * i) + "," + std::to_string(i) + "\n";
  }
  AddPoints(attempt_, "loss", points);
  server_.Change([](FakeState& state) { state.series_limit = 7; });
  const Result result = Run({"jobs", "series", job_, "loss", "--csv"});
  EXPECT_TRUE(result.out == expected) << result.out.substr(0, 500);
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(SeriesCommand, APartThatCannotBeCutIsAnError) {
  AddPoints(attempt_, "loss", std::vector<std::pair<int64_t, double>>(20, {0, 1}));
  AddPoints(attempt_, "loss", std::vector<std::pair<int64_t, double>>(20, {1, 1}));
  server_.Change([](FakeState& state) { state.series_limit = 7; });
  const Result result = Run({"jobs", "series", job_, "loss", "--csv"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("too many points"));
}

TEST_F(SeriesCommand, OnATerminalTheSeriesIsDrawn) {
  AddPoints(attempt_, "loss", {{0, 10}, {50, 2}, {100, 1}});
  const Result drawn = Run({"jobs", "series", job_, "loss"}, {.terminal_columns = 60});
  EXPECT_THAT(drawn.out, HasSubstr("loss"));
  EXPECT_THAT(drawn.out, HasSubstr("3 points, last 1 at 100"));
  EXPECT_THAT(drawn.out, HasSubstr("10 ┤"));
  EXPECT_THAT(drawn.out, HasSubstr("⠢"));
  const Result ascii =
      Run({"jobs", "series", job_, "loss"}, {.environment = {{"LC_ALL", "C"}}, .terminal_columns = 60});
  EXPECT_THAT(ascii.out, HasSubstr("10 |*"));
  for (const char c : ascii.out) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST_F(SeriesCommand, WhatIsWrongIsSaid) {
  AddPoints(attempt_, "loss", {{0, 1}}, "0");
  AddPoints(attempt_, "reward", {{0, 1}});
  const auto says = [&](const std::vector<std::string>& arguments, int code, const std::string& text) {
    std::vector<std::string> all = {"jobs", "series"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Result result = Run(all);
    EXPECT_EQ(result.code, code) << text;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
  };
  says({"J!"}, 2, "job: 'J!' is not valid");
  says({job_, "los"}, 3, attempt_ + " has no series 'los'; it has loss, reward");
  says({job_, "loss", "--label", "gpu=7"}, 3, "no series of 'loss' with these labels");
  says({job_, "loss", "--label", "gpu"}, 2, "--label: 'gpu' is not valid");
  says({job_, "loss", "--buckets", "0"}, 2, "--buckets: '0' is not valid");
  says({job_, "loss", "--attempt", "x"}, 2, "--attempt: 'x' is not valid");
  says({attempt_, "loss", "--attempt", "1"}, 2, "--attempt: '1' is not valid");
  says({job_, "loss", "--attempt", "9", "-f"}, 3, job_ + "/attempts/9");
  says({job_, "loss", "--csv", "--json"}, 2, "--csv: leave it out");
  says({job_, "-f"}, 2, "METRIC: ");
  says({job_, "loss", "-f", "--buckets", "9"}, 2, "--buckets: rows that are followed");
  says({AddJob(v1::JOB_STATE_QUEUED), "loss"}, 4, "has not started");
}

TEST_F(SeriesCommand, FollowingAppendsRowsOverAnOutageToTheEnd) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING), attempt = job + "/attempts/1";
  AddAttempt(job, "", false);
  RunningCli run(With({"jobs", "series", job, "loss", "-f"}));
  AddPoints(attempt, "loss", {{1, 1}, {2, 2}, {2, 3}});
  ASSERT_TRUE(run.ReadUntil("loss\t\t2\t3\n"));
  AddPoints(attempt, "loss", {{2, 4}, {5, 5}});
  ASSERT_TRUE(run.ReadUntil("loss\t\t5\t5\n"));
  server_.Stop();
  AddPoints(attempt, "loss", {{6, 6}, {3, 9}});
  server_.Start();
  ASSERT_TRUE(run.ReadUntil("loss\t\t6\t6\n"));
  AddPoints(attempt, "loss", {{7, 7}});
  server_.Change([&](FakeState& state) { state.SetJobState(job, v1::JOB_STATE_SUCCEEDED); });
  const Result result = run.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "METRIC\tLABELS\tSTEP\tVALUE\nloss\t\t1\t1\nloss\t\t2\t2\nloss\t\t2\t3\nloss\t\t2\t4\nloss\t\t5\t5\n"
            "loss\t\t6\t6\nloss\t\t7\t7\n");
  EXPECT_THAT(result.err, HasSubstr("steps before those already written"));
}

TEST_F(SeriesCommand, FollowingGoesOnWithTheNextAttempt) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING);
  AddAttempt(job, "", false);
  AddPoints(job + "/attempts/1", "loss", {{1, 1}});
  RunningCli run(With({"jobs", "series", job, "loss", "-f", "--csv"}));
  ASSERT_TRUE(run.ReadUntil("loss,,1,1\n"));
  AddPoints(job + "/attempts/1", "loss", {{2, 1}});
  AddAttempt(job, "", true);
  AddPoints(job + "/attempts/2", "loss", {{1, 8}});
  server_.Change([&](FakeState& state) { state.SetJobState(job, v1::JOB_STATE_FAILED); });
  const Result result = run.Wait();
  EXPECT_EQ(result.out, "metric,labels,step,value\nloss,,1,1\nloss,,2,1\nloss,,1,8\n");
  EXPECT_THAT(result.err, HasSubstr("Attempt 2 follows"));
}

TEST_F(SeriesCommand, FollowingRedrawsOnATerminal) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING), attempt = job + "/attempts/1";
  AddAttempt(job, "", false);
  AddPoints(attempt, "loss", {{0, 1}, {1, 2}});
  RunningCli run(With({"jobs", "series", job, "loss", "-f"}), {.terminal_columns = 50});
  ASSERT_TRUE(run.ReadUntil("2 points"));
  AddPoints(attempt, "loss", {{2, 3}});
  ASSERT_TRUE(run.ReadUntil("3 points"));
  server_.Change([&](FakeState& state) { state.SetJobState(job, v1::JOB_STATE_SUCCEEDED); });
  const Result result = run.Wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("\x1b[18A\r\x1b[J"));  // Title, 15 rows, axis and steps.
}

TEST_F(SeriesCommand, IsPartOfHelpAndCompletion) {
  EXPECT_THAT(Run({"jobs", "--help"}).out, HasSubstr("series"));
  EXPECT_THAT(Run({"jobs", "series", "--help"}).out, HasSubstr("--buckets"));
  EXPECT_THAT(Run({"completion", "bash"}).out, HasSubstr("'benchwire jobs series')"));
}

}  // namespace
}  // namespace benchwire::cli
