// What the keeper does for the agent, with real processes.
#include "workers/agent/keeper.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <cerrno>

#include "workers/agent/child_process.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

ChildSpec Sleeper(const std::string& seconds, milliseconds silence) {
  ChildSpec spec;
  spec.keeper = BENCHWIRE_WORKER_PATH;
  spec.program = "/bin/sleep";
  spec.arguments = {seconds};
  spec.silence = silence;
  return spec;
}

// Waits for the end of the child; meanwhile gives a sign of life after each `interval`, -1 for none.
ChildExit WaitForEnd(ChildProcess& child, int interval) {
  for (;;) {
    pollfd status{child.status().get(), POLLIN, 0};
    poll(&status, 1, interval);
    if (child.ReadStatus()) return child.Wait();
    if (interval >= 0) child.SignLife();
  }
}

TEST(KeeperTest, KillsTheRunnerOfAnAgentThatStandsStill) {
  const auto child = ChildProcess::Start(Sleeper("1000", milliseconds(100)));
  ASSERT_TRUE(child.ok()) << child.status();
  const ChildExit exit = WaitForEnd(**child, -1);
  EXPECT_TRUE(exit.stalled);
  EXPECT_EQ(exit.kind, ChildExit::Kind::kSignalled);
  EXPECT_EQ(exit.code, SIGKILL);
}

TEST(KeeperTest, LetsTheRunnerOfALivingAgentBe) {
  const auto child = ChildProcess::Start(Sleeper("0.5", milliseconds(300'000)));
  ASSERT_TRUE(child.ok()) << child.status();
  const ChildExit exit = WaitForEnd(**child, 10);
  EXPECT_FALSE(exit.stalled);
  EXPECT_EQ(exit.kind, ChildExit::Kind::kExited);
  EXPECT_EQ(exit.code, 0);
}

TEST(KeeperTest, NothingOutlivesAKeeperThatIsKilled) {
  AdoptOrphans();
  ChildSpec spec = Sleeper("1000", milliseconds(300'000));
  spec.program = "/bin/sh";
  // Leaves its group and its parent, as a daemon does; the name makes it recognizable.
  spec.arguments = {"-c", "(setsid sleep 1000 > /dev/null 2>&1 &) ; echo started; sleep 1000"};
  spec.environment = {"PATH=/usr/bin:/bin"};
  const auto child = ChildProcess::Start(spec);
  ASSERT_TRUE(child.ok()) << child.status();
  pollfd log{(*child)->log().get(), POLLIN, 0};
  ASSERT_EQ(poll(&log, 1, -1), 1);
  (*child)->KillKeeper();
  const ChildExit exit = (*child)->Wait();
  EXPECT_EQ(exit.kind, ChildExit::Kind::kKeeperLost);
  EXPECT_FALSE(exit.survivors);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace benchwire::agent
