// The program benchwire-worker itself: its flags, its signals, and that nothing outlives it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/agent/agent_fixture.h"

namespace benchwire::agent {
namespace {

using ::testing::HasSubstr;

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() { server_.Start(); }
  ~WorkerTest() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      Wait();
    }
  }

  void Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "benchwire-worker");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string output = directory_.path() + "/output";
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    ASSERT_EQ(posix_spawn(&pid_, BENCHWIRE_WORKER_PATH, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  void StartWorker() {
    Start({"--server", server_.address(), "--name", "w1", "--runners", BENCHWIRE_FIXTURES, "--work-dir",
           directory_.path() + "/work", "--label", "zone=eu"});
  }
  // The exit status, or minus the signal.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string Output() {
    std::ifstream in(directory_.path() + "/output");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Starts a job that left a process outside its group; returns the ids of both.
  std::pair<pid_t, pid_t> StartHanging(std::string* name) {
    *name = server_.AddJob("p2p", "hang-with-grandchild", milliseconds(60'000));
    EXPECT_TRUE(server_.WaitFor(*name, [](const FakeAttempt& a) { return a.log.find(" end\n") != std::string::npos; }));
    return PidsIn(server_.Get(*name).log);
  }

  TemporaryDirectory directory_;
  FakeAgentServer server_;
  pid_t pid_ = 0;
};

TEST_F(WorkerTest, RegistersWhatItFound) {
  StartWorker();
  ASSERT_TRUE(server_.WaitFor([this] { return !server_.registrations().empty(); }));
  const auto registration = server_.registrations()[0];
  EXPECT_EQ(registration.worker(), "workers/w1");
  EXPECT_GE(registration.incarnation().size(), 8U);
  EXPECT_EQ(registration.inventory().labels().at("zone"), "eu");
  ASSERT_EQ(registration.inventory().runners_size(), 1);
  EXPECT_EQ(registration.inventory().runners(0).kind(), "p2p");
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_THAT(Output(), HasSubstr("stopped"));
}

TEST_F(WorkerTest, GivesItsJobBackOnSigterm) {
  StartWorker();
  std::string name;
  const auto [runner, grandchild] = StartHanging(&name);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_TRUE(IsGone(runner));
  EXPECT_TRUE(IsGone(grandchild));
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_RELEASED);
  EXPECT_EQ(done.reason().code(), "WORKER_STOPPED");
}

TEST_F(WorkerTest, TakesItsRunnersWithItWhenKilled) {
  StartWorker();
  std::string name;
  const auto [runner, grandchild] = StartHanging(&name);
  kill(pid_, SIGKILL);
  EXPECT_EQ(Wait(), -SIGKILL);
  EXPECT_TRUE(server_.WaitFor([pid = runner] { return IsGone(pid); }));
  EXPECT_TRUE(server_.WaitFor([pid = grandchild] { return IsGone(pid); }));
}

TEST_F(WorkerTest, EndsAtOnceOnASecondSignal) {
  StartWorker();
  const std::string name = server_.AddJob("p2p", "hang", milliseconds(60'000));
  ASSERT_TRUE(server_.WaitFor(name, [](const FakeAttempt& a) { return !a.log.empty(); }));
  kill(pid_, SIGINT);
  ASSERT_TRUE(server_.WaitFor([this] { return Output().find("stopping signal=2") != std::string::npos; }));
  kill(pid_, SIGINT);
  EXPECT_EQ(Wait(), 128 + SIGINT);
}

TEST_F(WorkerTest, PrintsItsInventory) {
  Start({"--print-inventory", "--runners", BENCHWIRE_FIXTURES, "--log-level", "error"});
  EXPECT_EQ(Wait(), 0);
  EXPECT_THAT(Output(), HasSubstr("\"kind\": \"p2p\""));
  EXPECT_THAT(Output(), HasSubstr("\"cpus\": "));
}

TEST_F(WorkerTest, RefusesASecondWorkerOfTheSameName) {
  StartWorker();
  ASSERT_TRUE(server_.WaitFor([this] { return !server_.registrations().empty(); }));
  const pid_t first = std::exchange(pid_, 0);
  StartWorker();
  EXPECT_EQ(Wait(), 1);
  EXPECT_THAT(Output(), HasSubstr("another benchwire-worker named 'w1' runs here"));
  pid_ = first;
}

TEST_F(WorkerTest, SaysWhyItWasRefused) {
  FakeFaults faults;
  faults.refuse = "worker: 'workers/w1' is not welcome";
  server_.SetFaults(faults);
  StartWorker();
  EXPECT_EQ(Wait(), 1);
  EXPECT_THAT(Output(), HasSubstr("the server refused the worker: worker: 'workers/w1' is not welcome"));
}

}  // namespace
}  // namespace benchwire::agent
