// Leases: how a worker gets a job, keeps it and loses it, on a fake clock.
#include <limits>

#include "tests/unit/core/core_fixture.h"

namespace benchwire::core {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST_F(CoreTest, AJobGoesFromQueuedToSucceededWithItsLogAndMeasurements) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  EXPECT_EQ(job.state(), v1::JOB_STATE_QUEUED);
  const v1::Lease lease = Lease(session);
  EXPECT_EQ(lease.kind(), "p2p");
  EXPECT_EQ(lease.seed(), job.seed());
  EXPECT_EQ(lease.fence().attempt(), job.name() + "/attempts/1");
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_ASSIGNED);
  ASSERT_TRUE(Start(session, lease).ok());
  EXPECT_TRUE(Start(session, lease).ok());  // Its answer was lost and it is said again.
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);

  const auto report = Report(session, lease, 1, "hello\n", {Row("bandwidth", {1, 2, 3})});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->acknowledged_sequence(), 1);
  v1::ListMeasurementsRequest list;
  list.set_parent(lease.fence().attempt());
  EXPECT_EQ(core_->jobs().ListMeasurements(list)->measurements_size(), 0);  // Not before it ends.
  EXPECT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 1), v1::JOB_STATE_SUCCEEDED);

  list.set_parent(job.name());
  const auto rows = core_->jobs().ListMeasurements(list);
  ASSERT_EQ(rows->measurements_size(), 1);
  EXPECT_EQ(rows->measurements(0).name(), lease.fence().attempt() + "/measurements/1-1");
  const v1::Job done = GetJob(job.name());
  EXPECT_EQ(done.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(done.attempts(0).log_bytes(), 6);
  EXPECT_TRUE(done.attempts(0).result().has_p2p());
}

TEST_F(CoreTest, ALostLeaseAnswerIsGivenAgain) {
  const std::string session = Session("w1");
  CreateJob();
  const v1::Lease lease = Lease(session, "lease-000001");
  clock_.Advance(seconds(4));
  const v1::Lease again = Lease(session, "lease-000001");
  EXPECT_EQ(again.fence().SerializeAsString(), lease.fence().SerializeAsString());
  EXPECT_EQ(again.start_deadline().seconds(), 6);
  // Another request is another lease, and there is no other job.
  EXPECT_FALSE(LeaseCall(session, "lease-000002")->has_value());
}

TEST_F(CoreTest, ACallRepeatedWhileItsFirstIsParkedGetsTheJob) {
  const std::string session = Session("w1");
  const auto first = LeaseCall(session, "lease-000001");
  const auto second = LeaseCall(session, "lease-000001");
  ASSERT_TRUE(first->has_value());
  EXPECT_FALSE((**first)->has_lease());
  CreateJob();
  EXPECT_TRUE(LeaseOf(*second).has_fence());
}

TEST_F(CoreTest, ACallRepeatedWhileItsLeaseIsWrittenGetsIt) {
  const std::string session = Session("w1");
  CreateJob();
  store_.hold = true;
  const auto first = LeaseCall(session, "lease-000001");
  const auto second = LeaseCall(session, "lease-000001");
  EXPECT_FALSE(second->has_value());
  store_.Release();
  EXPECT_FALSE((**first)->has_lease());
  EXPECT_TRUE(LeaseOf(*second).has_fence());
}

TEST_F(CoreTest, ACallOfAnEarlierProcessGetsNoJob) {
  const auto old = LeaseCall(Session("w1", "incarnation-1"), "lease-000001");
  const auto call = LeaseCall(Session("w1", "incarnation-2"), "lease-000002");
  ASSERT_TRUE(old->has_value());
  EXPECT_FALSE((**old)->has_lease());
  CreateJob();
  EXPECT_TRUE(LeaseOf(*call).has_fence());
}

TEST_F(CoreTest, AParkedCallEndsWithoutALeaseAtItsTime) {
  const auto call = LeaseCall(Session("w1"), "lease-000001", seconds(30));
  Pass(seconds(30) - nanoseconds(1));
  EXPECT_FALSE(call->has_value());
  Pass(nanoseconds(1));
  ASSERT_TRUE(call->has_value());
  EXPECT_FALSE((**call)->has_lease());
}

TEST_F(CoreTest, AFailedDispatchIsRepeatedByTheTick) {
  const std::string session = Session("w1");
  CreateJob();
  store_.failures = 1;
  const auto call = LeaseCall(session, "lease-000001");
  EXPECT_FALSE(call->has_value());
  core_->Tick();
  EXPECT_TRUE(LeaseOf(*call).has_fence());
}

TEST_F(CoreTest, AnUnstartedLeaseIsTakenBackAfterTenSeconds) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Lease(session);
  Pass(seconds(10));
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_ASSIGNED);
  Pass(nanoseconds(1));
  const v1::Job back = GetJob(job.name());
  EXPECT_EQ(back.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(back.attempts(0).state(), v1::ATTEMPT_STATE_RELEASED);
  EXPECT_EQ(back.attempts(0).reason().code(), "NOT_STARTED");
  EXPECT_EQ(back.failed_attempts() + back.lost_attempts(), 0);
  EXPECT_EQ(ErrorReason(Start(session, lease)), "STALE_LEASE");
  EXPECT_EQ(Lease(session, "lease-000002").fence().epoch(), 2);
}

TEST_F(CoreTest, ASilentWorkerIsReapedAfterTtlAndGraceAndNotBefore) {
  const auto registered = RegisterWorker("w1", "incarnation-1");
  EXPECT_EQ(registered->ttl().seconds(), 45);
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(registered->session());
  Pass(seconds(45 + 15));
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  clock_.JumpWall(seconds(86'400));  // Somebody sets the wall clock: nothing is lost by it.
  core_->Tick();
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  Pass(nanoseconds(1));
  const v1::Job lost = GetJob(job.name());
  EXPECT_EQ(lost.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(lost.attempts(0).state(), v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_EQ(lost.lost_attempts(), 1);
  v1::GetWorkerRequest get;
  get.set_name("workers/w1");
  EXPECT_EQ(core_->fleet().Get(get)->state(), v1::WORKER_STATE_OFFLINE);
  EXPECT_EQ(ErrorReason(Report(registered->session(), lease, 1, "late").status()), "STALE_LEASE");
  EXPECT_EQ(ErrorReason(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED).status()), "STALE_LEASE");
  EXPECT_EQ(ErrorReason((*LeaseCall(registered->session(), "lease-000002"))->status()), "STALE_SESSION");
}

TEST_F(CoreTest, AServerThatStoodStillGivesItsWorkersTheirTimeAnew) {
  const v1::Job job = CreateJob();
  Run(Session("w"));
  core_->RegularTick();
  clock_.Advance(std::chrono::hours(1));
  core_->RegularTick();
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  for (int i = 0; i < 61; ++i) {
    clock_.Advance(seconds(1));
    core_->RegularTick();
  }
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_QUEUED);
}

TEST_F(CoreTest, RenewingKeepsAWorkerAndSaysWhatItIsToStop) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  v1::RenewLeaseRequest renew;
  renew.set_session(session);
  (*renew.mutable_progress())[lease.fence().attempt()].set_fraction(0.5);
  for (int i = 0; i < 3; ++i) {
    Pass(seconds(50));
    ASSERT_TRUE(core_->fleet().Renew(renew).ok());
  }
  EXPECT_EQ(GetJob(job.name()).progress().fraction(), 0.5);
  (*renew.mutable_progress())["jobs/0000/attempts/1"].set_fraction(0.1);
  ASSERT_TRUE(CancelJob(job.name()).ok());
  const auto response = core_->fleet().Renew(renew);
  EXPECT_EQ(response->stale_size(), 1);
  ASSERT_EQ(response->cancel_size(), 1);
  EXPECT_EQ(response->cancel(0), lease.fence().attempt());
}

TEST_F(CoreTest, AnAttemptThatItsWorkerForgotIsLostAfterTwoRenewals) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  v1::RenewLeaseRequest renew;
  renew.set_session(session);
  ASSERT_TRUE(core_->fleet().Renew(renew).ok());  // Sent before it had heard of the start, perhaps.
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  (*renew.mutable_progress())[lease.fence().attempt()];
  ASSERT_TRUE(core_->fleet().Renew(renew).ok());
  renew.clear_progress();
  ASSERT_TRUE(core_->fleet().Renew(renew).ok());
  ASSERT_TRUE(core_->fleet().Renew(renew).ok());  // The same call, come twice.
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  clock_.Advance(seconds(15));
  ASSERT_TRUE(core_->fleet().Renew(renew).ok());
  const v1::Job lost = GetJob(job.name());
  EXPECT_EQ(lost.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(lost.attempts(0).state(), v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_EQ(lost.attempts(0).reason().code(), "WORKER_FORGOT");
  EXPECT_EQ(ErrorReason(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED).status()), "STALE_LEASE");
}

TEST_F(CoreTest, ANewProcessOfAWorkerReleasesItsLeases) {
  const std::string old = Session("w1", "incarnation-1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(old);
  // The same process again, after the server restarted, keeps them.
  Restart();
  const auto same = RegisterWorker("w1", "incarnation-1");
  ASSERT_EQ(same->attempts_size(), 1);
  EXPECT_EQ(same->attempts(0), lease.fence().attempt());
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(RegisterWorker("w1", "incarnation-2")->attempts_size(), 0);
  const v1::Job lost = GetJob(job.name());
  EXPECT_EQ(lost.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(lost.attempts(0).reason().code(), "WORKER_RESTARTED");
  v1::RenewLeaseRequest renew;
  renew.set_session(same->session());
  EXPECT_EQ(ErrorReason(core_->fleet().Renew(renew).status()), "STALE_SESSION");
}

TEST_F(CoreTest, ALateReportIsKeptAsEvidenceAndNeverAsTheRecord) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease old = Run(session);
  RegisterWorker("w1", "incarnation-2").IgnoreError();
  v1::CompleteAttemptRequest stranger = Completion(old, v1::ATTEMPT_OUTCOME_SUCCEEDED);
  stranger.mutable_fence()->set_token(std::string(16, 'x'));
  EXPECT_EQ(ErrorReason(core_->attempts().Complete(stranger).status()), "STALE_LEASE");
  EXPECT_FALSE(GetJob(job.name()).attempts(0).has_late_report());

  v1::CompleteAttemptRequest late = Completion(old, v1::ATTEMPT_OUTCOME_SUCCEEDED);
  late.mutable_result()->mutable_p2p()->set_verified_bytes(7);
  late.set_runner_version("1.2.3");
  EXPECT_EQ(ErrorReason(core_->attempts().Complete(late).status()), "STALE_LEASE");
  // The first one counts.
  EXPECT_EQ(ErrorReason(Complete(old, v1::ATTEMPT_OUTCOME_FAILED).status()), "STALE_LEASE");
  const v1::Job after = GetJob(job.name());
  EXPECT_EQ(after.state(), v1::JOB_STATE_QUEUED);
  const v1::Attempt& attempt = after.attempts(0);
  EXPECT_EQ(attempt.state(), v1::ATTEMPT_STATE_WORKER_LOST);
  EXPECT_FALSE(attempt.has_result());
  EXPECT_EQ(attempt.late_report().state(), v1::ATTEMPT_STATE_SUCCEEDED);
  EXPECT_EQ(attempt.late_report().result().p2p().verified_bytes(), 7);
  EXPECT_EQ(attempt.late_report().runner_version(), "1.2.3");
  EXPECT_EQ(Events().back().resource(), attempt.name());
}

TEST_F(CoreTest, CompletingWaitsForTheReportsItCounts) {
  const std::string session = Session("w1");
  CreateJob();
  const v1::Lease lease = Run(session);
  ASSERT_TRUE(Report(session, lease, 1, "a").ok());
  // A gap is not stored; the answer says what is wanted.
  EXPECT_EQ(Report(session, lease, 3, "c", {Row("early", {1})})->next_sequence(), 2);
  const absl::Status missing = Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 2).status();
  EXPECT_EQ(ErrorReason(missing), "MISSING_REPORTS");
  EXPECT_EQ(ErrorMetadata(missing, "next_sequence"), "2");
  EXPECT_EQ(Report(session, lease, 2, "b")->acknowledged_sequence(), 2);
  EXPECT_EQ(Report(session, lease, 2, "b")->acknowledged_sequence(), 2);  // Sent again: stored once.
  EXPECT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 2), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 2), v1::JOB_STATE_SUCCEEDED);  // Its answer was lost.
  v1::ReadLogRequest read;
  read.set_name(lease.fence().attempt());
  const auto log = core_->telemetry().ReadLog(read);
  EXPECT_EQ(log->data(), "ab");
  EXPECT_TRUE(log->end());
  v1::ListMeasurementsRequest list;
  list.set_parent(lease.fence().attempt());
  EXPECT_EQ(core_->jobs().ListMeasurements(list)->measurements_size(), 0);
}

TEST_F(CoreTest, ACompletionUnderAnOldFenceIsStaleAndChangesNothing) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease old = Run(session, "lease-000001");
  ASSERT_EQ(*Complete(old, v1::ATTEMPT_OUTCOME_RELEASED), v1::JOB_STATE_QUEUED);
  const v1::Lease lease = Run(session, "lease-000002");
  EXPECT_EQ(ErrorReason(Complete(old, v1::ATTEMPT_OUTCOME_SUCCEEDED).status()), "STALE_LEASE");
  EXPECT_EQ(ErrorReason(Complete(old, v1::ATTEMPT_OUTCOME_SUCCEEDED, 5).status()), "STALE_LEASE");
  EXPECT_EQ(ErrorReason(Report(session, old, 1, "x").status()), "STALE_LEASE");
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(CoreTest, AResultMustFitAndAnOutcomeMustBeOne) {
  const std::string session = Session("w1");
  CreateJob();
  const v1::Lease lease = Lease(session);
  EXPECT_EQ(ErrorReason(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED).status()), "NOT_STARTED");
  ASSERT_TRUE(Start(session, lease).ok());
  EXPECT_EQ(ErrorReason(Complete(lease, v1::ATTEMPT_OUTCOME_UNSPECIFIED).status()), "BAD_FIELD");
  v1::CompleteAttemptRequest request = Completion(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED);
  request.clear_result();
  EXPECT_EQ(ErrorMetadata(core_->attempts().Complete(request).status(), "field"), "result");
  (*request.mutable_environment())["cpu"] = std::string(5000, 'x');
  EXPECT_EQ(ErrorMetadata(core_->attempts().Complete(request).status(), "field"), "environment.cpu");
  request.clear_environment();
  for (int i = 0; i < 129; ++i) request.add_warnings()->set_code("SLOW");
  EXPECT_EQ(ErrorMetadata(core_->attempts().Complete(request).status(), "field"), "warnings");
  v1::Measurement row = Row("bandwidth", {1});
  row.set_value(std::numeric_limits<double>::infinity());
  EXPECT_EQ(ErrorMetadata(Report(session, lease, 1, "", {row}).status(), "field"), "measurement.value");
}

TEST_F(CoreTest, ADrainedWorkerFinishesAndGetsNoMore) {
  const std::string session = Session("w1");
  v1::DrainWorkerRequest drain;
  drain.set_name("workers/w1");
  EXPECT_EQ(core_->fleet().Drain(drain)->state(), v1::WORKER_STATE_DRAINING);
  const auto call = LeaseCall(session, "lease-000001");
  CreateJob();
  EXPECT_FALSE(call->has_value());
  v1::RenewLeaseRequest renew;
  renew.set_session(session);
  EXPECT_TRUE(core_->fleet().Renew(renew)->drain());
  v1::ResumeWorkerRequest resume;
  resume.set_name("workers/w1");
  EXPECT_EQ(core_->fleet().Resume(resume)->state(), v1::WORKER_STATE_ONLINE);
  EXPECT_TRUE(LeaseOf(*call).has_fence());
}

TEST_F(CoreTest, StoppingAnswersParkedCallsWithoutALease) {
  const std::string session = Session("w1");
  const auto call = LeaseCall(session, "lease-000001");
  core_->Stop();
  ASSERT_TRUE(call->has_value());
  EXPECT_FALSE((**call)->has_lease());
  EXPECT_TRUE(LeaseCall(session, "lease-000002")->has_value());
}

TEST(WorkerTable, ALateEndOfAnAttemptLeavesTheGrantOfTheNext) {
  const FakeClock clock;
  WorkerTable table(clock);
  storage::WorkerRecord record;
  record.id = "w1";
  record.session = "session";
  table.Put(record);
  Grant grant;
  grant.attempt = 2;
  table.AddGrant("w1", "j", grant);
  table.RemoveGrant("w1", {"j", 1});
  EXPECT_EQ(table.Standings()[0].load->grants.size(), 1u);
  table.RemoveGrant("w1", {"j", 2});
  EXPECT_EQ(table.Standings()[0].load->grants.size(), 0u);
}

TEST(WorkerTable, WhatItTellsIsSharedAndStaysAsItWas) {
  const FakeClock clock;
  WorkerTable table(clock);
  storage::WorkerRecord record;
  record.id = "w1";
  record.session = "session";
  record.worker.mutable_inventory()->set_cpus(7);
  table.Put(record);
  const auto before = table.Standings();
  EXPECT_EQ(table.Standings()[0].load, before[0].load);
  table.AddGrant("w1", "j", {});
  const auto after = table.Standings();
  EXPECT_TRUE(before[0].load->grants.empty());
  EXPECT_EQ(after[0].load->grants.size(), 1u);
  EXPECT_EQ(after[0].load->inventory, before[0].load->inventory);  // Not copied.
  EXPECT_EQ(after[0].load->inventory->cpus(), 7);
  EXPECT_TRUE(after[0].TakesJobs());
  table.SetDraining("w1", true);
  EXPECT_FALSE(table.Standings()[0].TakesJobs());
}

}  // namespace
}  // namespace benchwire::core
