// An agent in this process that works for a fake server and runs fixtures/benchwire-p2p, with short time spans.
#ifndef BENCHWIRE_TESTS_UNIT_AGENT_AGENT_FIXTURE_H_
#define BENCHWIRE_TESTS_UNIT_AGENT_AGENT_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "server/base/clock.h"
#include "server/base/random.h"
#include "tests/fakes/fake_agent_server.h"
#include "tests/fakes/temporary_directory.h"
#include "workers/agent/agent.h"
#include "workers/agent/inventory.h"
#include "workers/agent/runner_catalog.h"

namespace benchwire::agent {

using std::chrono::milliseconds;

// No such process, or only its remains.
inline bool IsGone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

// The two process ids of a line `pids A B end`.
inline std::pair<pid_t, pid_t> PidsIn(const std::string& log) {
  std::istringstream in(log.substr(log.find("pids ") + 5));
  pid_t first = 0;
  pid_t second = 0;
  in >> first >> second;
  return {first, second};
}

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    server_.Start();
    options_.server = server_.address();
    options_.worker = "workers/test";
    options_.work_dir = work_dir_.path();
    options_.spool_dir = spool_dir_.path();
    options_.keeper = BENCHWIRE_WORKER_PATH;
    options_.lease_wait = milliseconds(300);
    options_.call_timeout = milliseconds(5000);
    options_.backoff_base = milliseconds(10);
    options_.backoff_cap = milliseconds(100);
    options_.kill_delay = milliseconds(300);
    options_.fence_margin = milliseconds(200);
    options_.acknowledge_wait = milliseconds(300);
    options_.stop_wait = milliseconds(10'000);
    options_.outbox.flush_interval = milliseconds(20);
    options_.outbox.progress_interval = milliseconds(20);
    options_.outbox.resend_interval = milliseconds(50);
  }

  void StartAgent() {
    RunnerCatalog catalog = FindRunners(BENCHWIRE_FIXTURES, options_.keeper, milliseconds(5000));
    ASSERT_EQ(catalog.count("p2p"), 1U);
    v1::Inventory inventory = ReadMachine("/");
    AddRunners(catalog, &inventory);
    agent_ = std::make_unique<Agent>(options_, inventory, std::move(catalog), clock_, random_,
                                     [this](const absl::Status& status) {
                                       MutexLock lock(mutex_);
                                       refused_ = status;
                                     });
    agent_->Start();
  }

  std::string AddJob(const std::string& spec, milliseconds timeout = milliseconds(60'000)) {
    return server_.AddJob("p2p", spec, timeout);
  }

  v1::CompleteAttemptRequest Complete(const std::string& spec) { return server_.WaitCompletion(AddJob(spec)); }

  // The agent is none the worse for what happened: the next job runs, and nothing is left of the last one.
  void ExpectNextJobRuns() {
    EXPECT_EQ(Complete("quick").outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
    EXPECT_TRUE(server_.WaitFor([this] { return std::filesystem::is_empty(work_dir_.path()); }));
    EXPECT_TRUE(server_.WaitFor([this] { return std::filesystem::is_empty(spool_dir_.path()); }));
  }

  bool WaitLog(const std::string& attempt, const std::string& text) {
    return server_.WaitFor(attempt, [&](const FakeAttempt& a) { return a.log.find(text) != std::string::npos; });
  }

  TemporaryDirectory work_dir_;
  TemporaryDirectory spool_dir_;
  FakeAgentServer server_;
  AgentOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  Mutex mutex_;
  absl::Status refused_ GUARDED_BY(mutex_);
  std::unique_ptr<Agent> agent_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_TESTS_UNIT_AGENT_AGENT_FIXTURE_H_
