// What lost replies, a server that restarts, stale leases and silence do to a job: nothing lost, nothing twice, no
// runner that goes on without a lease.
#include <thread>

#include "tests/unit/agent/agent_fixture.h"

namespace benchwire::agent {
namespace {

using AgentConnectionTest = AgentTest;

std::string SlowLog() {
  std::string log;
  for (int i = 0; i < 20; ++i) log += "line " + std::to_string(i) + "\n";
  return log;
}

void ExpectAllOfSlow(const FakeAttempt& attempt) {
  EXPECT_EQ(attempt.log, SlowLog());
  ASSERT_EQ(attempt.points.size(), 20U);
  for (size_t i = 0; i < attempt.points.size(); ++i) EXPECT_EQ(attempt.points[i].step(), static_cast<int64_t>(i));
}

TEST_F(AgentConnectionTest, GoesOnThroughAServerRestart) {
  StartAgent();
  const std::string name = AddJob("slow");
  ASSERT_TRUE(WaitLog(name, "line 5\n"));
  server_.Stop();
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_EQ(agent_->running(), 1U);
  server_.Start();
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name));
  const auto registrations = server_.registrations();
  ASSERT_EQ(registrations.size(), 2U);
  EXPECT_EQ(registrations[0].incarnation(), registrations[1].incarnation());
  ExpectNextJobRuns();
}

TEST_F(AgentConnectionTest, GoesOnWithAStaleSession) {
  StartAgent();
  const std::string name = AddJob("slow");
  ASSERT_TRUE(WaitLog(name, "line 5\n"));
  server_.MakeSessionsStale();
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name));
}

TEST_F(AgentConnectionTest, AsksAgainForALeaseWhoseReplyWasLost) {
  FakeFaults faults;
  faults.lost_lease_replies = 2;
  server_.SetFaults(faults);
  const std::string name = AddJob("quick");
  StartAgent();
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  const auto ids = server_.lease_request_ids();
  ASSERT_GE(ids.size(), 3U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[1], ids[2]);
  ASSERT_TRUE(server_.WaitFor([this] { return server_.lease_request_ids().size() > 3; }));
  EXPECT_NE(server_.lease_request_ids()[3], ids[2]);
}

TEST_F(AgentConnectionTest, RepeatsStartAndCompletionUntilAnswered) {
  FakeFaults faults;
  faults.lost_start_replies = 2;
  faults.lost_complete_replies = 2;
  server_.SetFaults(faults);
  StartAgent();
  const std::string name = AddJob("quick");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_TRUE(server_.WaitFor(name, [](const FakeAttempt& a) { return a.completions == 3; }));
  ExpectNextJobRuns();
}

TEST_F(AgentConnectionTest, SendsAgainWhatIsMissingAtTheEnd) {
  FakeFaults faults;
  faults.forget_batch = 2;
  server_.SetFaults(faults);
  StartAgent();
  const std::string name = AddJob("slow");
  // The runner has ended and every batch from 2 on was swallowed.
  ASSERT_TRUE(server_.WaitFor(name, [](const FakeAttempt& a) { return a.last_sequence == 1; }));
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_FALSE(server_.Get(name).completion.has_value());
  server_.SetFaults({});
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name));
}

TEST_F(AgentConnectionTest, CompletesWhereAcknowledgementsAreLost) {
  FakeFaults faults;
  faults.no_acknowledgements = true;
  server_.SetFaults(faults);
  StartAgent();
  const std::string name = AddJob("slow");
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name));
}

TEST_F(AgentConnectionTest, HoldsEventsBackWhileNothingIsAcknowledged) {
  FakeFaults faults;
  faults.no_acknowledgements = true;
  server_.SetFaults(faults);
  options_.outbox.waiting_rows = 500;
  options_.outbox.unacknowledged = 2;
  StartAgent();
  const std::string name = AddJob("flood-events");
  ASSERT_TRUE(server_.WaitFor(name, [](const FakeAttempt& a) { return a.last_sequence == 2; }));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(server_.Get(name).last_sequence, 2);
  EXPECT_FALSE(server_.Get(name).completion.has_value());
  server_.SetFaults({});
  // A new stream brings the acknowledgements that were withheld.
  server_.MakeSessionsStale();
  server_.Stop();
  server_.Start();
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_EQ(server_.Get(name).points.size(), 20'000U);
}

// Its runner ends while the server is away, and then the agent does.
class RedeliveryTest : public AgentTest {
 protected:
  RedeliveryTest() {
    options_.stop_wait = milliseconds(100);
    StartAgent();
    name_ = AddJob("slow");
    EXPECT_TRUE(WaitLog(name_, "line 5\n"));
    server_.Stop();
    EXPECT_TRUE(server_.WaitFor([this] { return !std::filesystem::is_empty(spool_dir_.path()); }));
    agent_.reset();
    EXPECT_FALSE(std::filesystem::is_empty(spool_dir_.path()));
  }

  std::string name_;
};

TEST_F(RedeliveryTest, DeliversAResultThatAnEarlierProcessLeft) {
  server_.Start();
  StartAgent();
  EXPECT_EQ(server_.WaitCompletion(name_).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name_));
  ExpectNextJobRuns();
  // Under the incarnation that holds the lease, before the new one takes its place.
  const auto registrations = server_.registrations();
  ASSERT_EQ(registrations.size(), 3U);
  EXPECT_EQ(registrations[1].incarnation(), registrations[0].incarnation());
  EXPECT_NE(registrations[2].incarnation(), registrations[0].incarnation());
}

TEST_F(RedeliveryTest, GoesOnWhereTheLeaseIsStale) {
  server_.MakeStale(name_);
  server_.Start();
  StartAgent();
  ExpectNextJobRuns();
  EXPECT_FALSE(server_.Get(name_).completion.has_value());
}

TEST_F(RedeliveryTest, KeepsWhatTheServerDoesNotTake) {
  FakeFaults faults;
  faults.forget_batch = 1;
  server_.SetFaults(faults);
  server_.Start();
  options_.redelivery_patience = milliseconds(500);
  StartAgent();
  EXPECT_TRUE(server_.WaitFor([this] { return server_.registrations().size() == 3; }));
  EXPECT_FALSE(std::filesystem::is_empty(spool_dir_.path()));
  agent_.reset();
  server_.SetFaults({});
  StartAgent();
  EXPECT_EQ(server_.WaitCompletion(name_).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  ExpectAllOfSlow(server_.Get(name_));
}

TEST_F(RedeliveryTest, StopsWhileTheServerIsAway) {
  StartAgent();
  agent_.reset();
  EXPECT_FALSE(std::filesystem::is_empty(spool_dir_.path()));
}

TEST_F(AgentConnectionTest, StopsTheRunnerOfAStaleLease) {
  server_.SetTtl(milliseconds(2000));
  StartAgent();
  const std::string name = AddJob("hang-with-grandchild");
  ASSERT_TRUE(WaitLog(name, " end\n"));
  const auto [runner, grandchild] = PidsIn(server_.Get(name).log);
  server_.MakeStale(name);
  // The next session does not list it, and its stream is refused.
  server_.MakeSessionsStale();
  EXPECT_TRUE(server_.WaitFor([pid = runner] { return IsGone(pid); }));
  EXPECT_TRUE(server_.WaitFor([pid = grandchild] { return IsGone(pid); }));
  ExpectNextJobRuns();
  EXPECT_FALSE(server_.Get(name).completion.has_value());
}

TEST_F(AgentConnectionTest, HeartbeatTellsOfAStaleLease) {
  server_.SetTtl(milliseconds(600));
  StartAgent();
  const std::string name = AddJob("hang");
  ASSERT_TRUE(WaitLog(name, "started"));
  server_.MakeStale(name);
  EXPECT_TRUE(server_.WaitFor([this] { return agent_->running() == 0; }));
  EXPECT_FALSE(server_.Get(name).completion.has_value());
}

TEST_F(AgentConnectionTest, StopsWhatANewSessionDoesNotList) {
  server_.SetTtl(milliseconds(2000));
  StartAgent();
  const std::string name = AddJob("hang");
  ASSERT_TRUE(WaitLog(name, "started"));
  FakeFaults faults;
  faults.forget_attempts = true;
  server_.SetFaults(faults);
  server_.MakeSessionsStale();
  EXPECT_TRUE(server_.WaitFor([this] { return agent_->running() == 0; }));
}

TEST_F(AgentConnectionTest, StopsItsRunnersWhenTheServerIsSilent) {
  server_.SetTtl(milliseconds(900));
  StartAgent();
  const std::string name = AddJob("hang-with-grandchild");
  ASSERT_TRUE(WaitLog(name, " end\n"));
  const auto [runner, grandchild] = PidsIn(server_.Get(name).log);
  FakeFaults faults;
  faults.mute = true;
  server_.SetFaults(faults);
  EXPECT_TRUE(server_.WaitFor([pid = runner] { return IsGone(pid); }));
  EXPECT_TRUE(server_.WaitFor([pid = grandchild] { return IsGone(pid); }));
  const auto done = server_.WaitCompletion(name);
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_RELEASED);
  EXPECT_EQ(done.reason().code(), "SERVER_SILENT");
  // It takes no job while it may not run one.
  const std::string next = AddJob("quick");
  std::this_thread::sleep_for(milliseconds(1200));
  EXPECT_FALSE(server_.Get(next).started);
  server_.SetFaults({});
  EXPECT_EQ(server_.WaitCompletion(next).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
}

TEST_F(AgentConnectionTest, DoesNotStartACancelledJob) {
  const std::string name = AddJob("succeed");
  server_.Cancel(name);
  StartAgent();
  EXPECT_EQ(server_.WaitCompletion(name).outcome(), v1::ATTEMPT_OUTCOME_CANCELLED);
  EXPECT_EQ(server_.Get(name).log, "");
}

TEST_F(AgentConnectionTest, TakesNoJobWhileDraining) {
  server_.SetTtl(milliseconds(600));
  StartAgent();
  const std::string running = AddJob("slow");
  ASSERT_TRUE(WaitLog(running, "line 1\n"));
  server_.SetDrain(true);
  EXPECT_EQ(server_.WaitCompletion(running).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
  const std::string next = AddJob("quick");
  const int renewals = server_.renewals();
  EXPECT_TRUE(server_.WaitFor([&] { return server_.renewals() > renewals + 2; }));
  EXPECT_FALSE(server_.Get(next).leased);
  server_.SetDrain(false);
  EXPECT_EQ(server_.WaitCompletion(next).outcome(), v1::ATTEMPT_OUTCOME_SUCCEEDED);
}

TEST_F(AgentConnectionTest, ReportsAResultTheServerRefusesAsAFailure) {
  FakeFaults faults;
  faults.refuse_results = true;
  server_.SetFaults(faults);
  StartAgent();
  const auto done = Complete("quick");
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_FAILED);
  EXPECT_EQ(done.reason().code(), "BAD_RESULT");
}

TEST_F(AgentConnectionTest, EndsTheJobWhereTheServerRefusesItsEnvironment) {
  FakeFaults faults;
  faults.refuse_environments = true;
  server_.SetFaults(faults);
  StartAgent();
  const auto done = Complete("quick");
  EXPECT_EQ(done.outcome(), v1::ATTEMPT_OUTCOME_FAILED);
  EXPECT_TRUE(done.environment().empty());
}

TEST_F(AgentConnectionTest, SaysWhereItIsRefused) {
  FakeFaults faults;
  faults.refuse = "worker: 'workers/test' is not welcome";
  server_.SetFaults(faults);
  StartAgent();
  EXPECT_TRUE(server_.WaitFor([this] {
    MutexLock lock(mutex_);
    return absl::IsInvalidArgument(refused_);
  }));
}

}  // namespace
}  // namespace benchwire::agent
