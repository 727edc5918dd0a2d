// The command line following a running job while the real server is stopped and started again: nothing is missing and
// nothing comes twice.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/points.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/unit/cli/run_cli.h"

namespace benchwire {
namespace {

using cli::Result;
using cli::RunCli;
using cli::RunningCli;

class Follow : public Rpc {
 protected:
  Follow() : session_(RegisterWorker()) {
    job_ = CreateJob().name();
    lease_ = Run(session_);
  }
  // Sends one batch over a stream of its own and waits until it is on disk.
  void Report(const std::string& log, const std::vector<v1::Point>& points) {
    Context context;
    const auto stream = client_->agents->Report(&context);
    v1::ReportRequest batch = Batch(session_, lease_, ++sequence_, log);
    batch.mutable_points()->Assign(points.begin(), points.end());
    ASSERT_TRUE(stream->Write(batch));
    v1::ReportResponse response;
    ASSERT_TRUE(stream->Read(&response));
    ASSERT_EQ(response.acknowledged_sequence(), sequence_);
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
  }
  // Stops and starts the server, which must learn of the attempt again before it takes reports.
  void Restart() {
    StopServer();
    StartServer();
    v1::RenewLeaseRequest renew;
    renew.set_session(session_);
    (*renew.mutable_progress())[lease_.fence().attempt()].set_fraction(0.5);
    v1::RenewLeaseResponse renewed;
    ASSERT_TRUE(Call(*client_->agents, &AgentStub::RenewLease, renew, renewed).ok());
  }
  std::vector<std::string> Command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->address()});
    return arguments;
  }

  const std::string session_;
  std::string job_;
  v1::Lease lease_;
  int64_t sequence_ = 0;
};

TEST_F(Follow, ALogOverARestart) {
  RunningCli run(Command({"jobs", "logs", "-f", job_}));
  std::string expected;
  for (int i = 0; i < 6; ++i) {
    std::string log = "line " + std::to_string(i) + std::string("\0\xff\x1b[31m", 7) + "\n";
    if (i == 2) log += std::string(300'000, 'x') + "\n";
    Report(log, {});
    expected += log;
    ASSERT_TRUE(run.ReadUntil("line " + std::to_string(i)));
    if (i == 1 || i == 3) Restart();
  }
  ASSERT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  const Result result = run.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out == expected) << result.out.size() << " " << expected.size();
  EXPECT_TRUE(RunCli(Command({"jobs", "logs", job_})).out == expected);
  EXPECT_TRUE(RunCli(Command({"jobs", "logs", job_, "-f"})).out == expected);
}

TEST_F(Follow, ALogThatBeginsAfterARestart) {
  RunningCli run(Command({"jobs", "logs", "-f", job_}));
  // Most likely the stream stands by then, with nothing on it yet. Where it does not, this shows less.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Restart();
  Report("first\n", {});
  ASSERT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  const Result result = run.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "first\n");
}

TEST_F(Follow, ASeriesOverARestart) {
  RunningCli run(Command({"jobs", "series", job_, "loss", "-f", "--csv"}));
  std::string expected = "metric,labels,step,value\n";
  for (int i = 0; i < 5; ++i) {
    std::vector<v1::Point> points;
    for (int step = i * 1'000; step < (i + 1) * 1'000; ++step) {
      points.push_back(Point("loss", step, step * 0.5, {{"gpu", "0"}}));
      points.push_back(Point("other", step, 1));
      std::string value = std::to_string(step / 2);
      if (step % 2 == 1) value += ".5";
      expected += "loss,gpu=0," + std::to_string(step) + "," + value + "\n";
    }
    Report("", points);
    ASSERT_TRUE(run.ReadUntil("," + std::to_string(i * 1'000 + 999) + ","));
    if (i == 1 || i == 2) Restart();
  }
  ASSERT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  const Result result = run.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out == expected) << result.out.size() << " " << expected.size();
  EXPECT_TRUE(RunCli(Command({"jobs", "series", job_, "loss", "--csv"})).out == expected);
  EXPECT_EQ(RunCli(Command({"jobs", "series", job_})).out,
            "METRIC\tLABELS\tPOINTS\tLAST STEP\tLAST VALUE\nloss\tgpu=0\t5000\t4999\t2499.5\nother\t\t5000\t4999\t1\n");
}

}  // namespace
}  // namespace benchwire
