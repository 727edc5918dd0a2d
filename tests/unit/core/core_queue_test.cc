// The queue in the core: who goes first, what expires, which workers are left alone, and what ExplainJob says.
#include "tests/unit/core/core_fixture.h"

namespace benchwire::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class QueueTest : public CoreTest {
 protected:
  v1::Job Submit(const std::function<void(v1::Job&)>& set, const std::string& submitter = "local") {
    v1::CreateJobRequest request = JobRequest();
    request.mutable_job()->mutable_requirements()->set_exclusivity(v1::EXCLUSIVITY_NONE);
    set(*request.mutable_job());
    clock_.Advance(std::chrono::milliseconds(1));  // Names that sort as they come.
    auto job = core_->jobs().Create(request, submitter);
    EXPECT_TRUE(job.ok()) << job.status();
    return *job;
  }
  v1::Job Submit() {
    return Submit([](v1::Job&) {});
  }
  v1::Job SubmitWithTtl(int ttl_seconds) {
    return Submit([&](v1::Job& job) { job.mutable_queue_ttl()->set_seconds(ttl_seconds); });
  }
  // The job that a call would get now.
  std::string Next(const std::string& session) {
    return LeaseOf(*LeaseCall(session, "lease-" + std::to_string(++leases_ + 100'000))).fence().attempt();
  }
  v1::JobExplanation Explain(const std::string& job) {
    v1::ExplainJobRequest request;
    request.set_name(job);
    auto out = core_->jobs().Explain(request);
    EXPECT_TRUE(out.ok()) << out.status();
    return *out;
  }
  v1::Worker GetWorker(const std::string& name) {
    v1::GetWorkerRequest get;
    get.set_name("workers/" + name);
    return *core_->fleet().Get(get);
  }
  // The next job runs on the worker and its runner crashes.
  void CrashOne(const std::string& session) {
    const v1::Lease lease = Run(session, "crash-" + std::to_string(++leases_ + 100'000));
    v1::CompleteAttemptRequest request = Completion(lease, v1::ATTEMPT_OUTCOME_FAILED);
    request.mutable_reason()->set_code("RUNNER_CRASHED");
    ASSERT_TRUE(core_->attempts().Complete(request).ok());
    ASSERT_TRUE(core_->attempts().Complete(request).ok());  // Said again: it counts once.
  }

  int leases_ = 0;
};

TEST_F(QueueTest, SubmittersShareAndOldJobsRise) {
  const v1::Job ann = Submit([](v1::Job&) {}, "ann");
  const v1::Job ann_2 = Submit([](v1::Job&) {}, "ann");
  const v1::Job bob = Submit([](v1::Job&) {}, "bob");
  const v1::Job high = Submit([](v1::Job& job) { job.set_priority(60); }, "cal");
  const std::string session = Session("w1");
  EXPECT_EQ(Next(session), high.name() + "/attempts/1");
  EXPECT_EQ(Next(session), ann.name() + "/attempts/1");
  EXPECT_EQ(Next(session), bob.name() + "/attempts/1");
  const v1::Job low = Submit([](v1::Job& job) { job.set_priority(40); });
  clock_.Advance(hours(4));
  const v1::Job fresh = Submit([](v1::Job& job) { job.set_priority(64); });
  EXPECT_EQ(Next(session), ann_2.name() + "/attempts/1");  // 50 and 25.
  const std::string other = Session("w2");
  EXPECT_EQ(Next(other), low.name() + "/attempts/1");  // 40 and 25.
  EXPECT_EQ(Next(other), fresh.name() + "/attempts/1");
}

TEST_F(QueueTest, AJobBehindMoreThanAnyLookAheadOfJobsThatFitNowhereIsFound) {
  for (int i = 0; i < 600; ++i) {
    Submit([&](v1::Job& job) { job.mutable_requirements()->set_cpus(4000); });
  }
  const v1::Job fits = Submit();
  EXPECT_EQ(Next(Session("w1")), fits.name() + "/attempts/1");
}

TEST_F(QueueTest, ALargeJobIsNotPassedOverForEver) {
  const std::string session = Session("w1");
  const auto all_cpus = [](v1::Job& job) { job.mutable_requirements()->set_cpus(4); };
  Submit();
  const std::string running = Next(session);
  const v1::Job large = Submit(all_cpus);
  Submit();  // Of the same timeout: it would delay the large one.
  const v1::Job brief = Submit([](v1::Job& job) { job.mutable_timeout()->set_seconds(60); });
  EXPECT_EQ(Next(session), brief.name() + "/attempts/1");
  const auto call = LeaseCall(session, "lease-large");
  EXPECT_FALSE(call->has_value());
  EXPECT_EQ(Explain(large.name()).workers(0).reason(), "busy: 2 of 4 cpus free, needs 4; kept for it");
}

TEST_F(QueueTest, AJobThatWaitsTooLongExpires) {
  const v1::Job job = SubmitWithTtl(60);
  const v1::Job patient = Submit();
  Pass(seconds(60) - std::chrono::milliseconds(2));
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_QUEUED);
  Pass(std::chrono::milliseconds(2));
  const v1::Job expired = GetJob(job.name());
  EXPECT_EQ(expired.state(), v1::JOB_STATE_EXPIRED);
  EXPECT_EQ(expired.reason().code(), "QUEUE_EXPIRED");
  EXPECT_EQ(Events().back().resource(), job.name());
  EXPECT_EQ(Events().back().state(), "JOB_STATE_EXPIRED");
  Pass(hours(100));
  EXPECT_EQ(GetJob(patient.name()).state(), v1::JOB_STATE_QUEUED);
  v1::RetryJobRequest retry;
  retry.set_name(job.name());
  EXPECT_EQ(core_->jobs().Retry(retry, "local")->queue_ttl().seconds(), 60);
}

TEST_F(QueueTest, AJobThatRunsDoesNotExpireAndHasItsTimeAnewWhenItIsBack) {
  const v1::Job job = SubmitWithTtl(60);
  const std::string session = Session("w1");
  const v1::Lease lease = Run(session);
  for (int i = 0; i < 4; ++i) {
    Pass(seconds(30));
    ASSERT_TRUE(core_->workers().Heard(session).ok());
  }
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_RUNNING);
  ASSERT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_RELEASED), v1::JOB_STATE_QUEUED);
  Pass(seconds(59));
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_QUEUED);
  Restart();
  Pass(seconds(1));
  EXPECT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_EXPIRED);
}

TEST_F(QueueTest, ManyJobsExpireAtOnceAlsoAfterAFailedWrite) {
  std::vector<v1::Job> jobs;
  for (int i = 0; i < 300; ++i) jobs.push_back(SubmitWithTtl(1));
  clock_.Advance(minutes(1));
  store_.failures = 1;
  core_->Tick();
  EXPECT_EQ(GetJob(jobs.front().name()).state(), v1::JOB_STATE_QUEUED);
  core_->Tick();
  for (const v1::Job& job : jobs) ASSERT_EQ(GetJob(job.name()).state(), v1::JOB_STATE_EXPIRED);
}

TEST_F(QueueTest, AWorkerOnWhichJobsCrashGetsNoneForAWhile) {
  const std::string session = Session("w1");
  for (int i = 0; i < 3; ++i) {
    Submit([](v1::Job& job) { job.set_max_attempts(1); });
    CrashOne(session);
  }
  EXPECT_EQ(GetWorker("w1").state(), v1::WORKER_STATE_SICK);
  EXPECT_EQ(FromProto(GetWorker("w1").sick_until_time()), clock_.Now() + minutes(1));
  const v1::Job job = Submit();
  const auto call = LeaseCall(session, "lease-sick", seconds(30));
  EXPECT_FALSE(call->has_value());
  EXPECT_EQ(Explain(job.name()).workers(0).reason(), "sick: runners crashed there, gets jobs again in 60 s");
  EXPECT_EQ(Explain(job.name()).summary(), "no worker that could run it takes jobs now");
  clock_.Advance(seconds(31));
  ASSERT_TRUE(core_->workers().Heard(session).ok());
  const auto second = LeaseCall(session, "lease-sick-2", seconds(30));
  Pass(seconds(29) - std::chrono::milliseconds(2));
  EXPECT_FALSE(second->has_value());
  Pass(std::chrono::milliseconds(2));
  EXPECT_TRUE(LeaseOf(*second).has_fence());
  EXPECT_EQ(GetWorker("w1").state(), v1::WORKER_STATE_ONLINE);
  EXPECT_FALSE(GetWorker("w1").has_sick_until_time());
}

TEST_F(QueueTest, AnotherWorkerTakesTheJobsOfASickOneAndAnOperatorMayEndIt) {
  const std::string session = Session("w1");
  for (int i = 0; i < 3; ++i) {
    Submit([](v1::Job& job) { job.set_max_attempts(1); });
    CrashOne(session);
  }
  Submit();
  Submit();
  const auto call = LeaseCall(session, "lease-sick");
  Next(Session("w2"));
  EXPECT_FALSE(call->has_value());
  v1::ResumeWorkerRequest resume;
  resume.set_name("workers/w1");
  EXPECT_EQ(core_->fleet().Resume(resume)->state(), v1::WORKER_STATE_ONLINE);
  EXPECT_TRUE(LeaseOf(*call).has_fence());
}

TEST_F(QueueTest, ExplainFollowsTheJob) {
  v1::ExplainJobRequest missing;
  missing.set_name("jobs/0000");
  EXPECT_EQ(core_->jobs().Explain(missing).status().code(), absl::StatusCode::kNotFound);
  missing.set_name("x");
  EXPECT_EQ(ErrorReason(core_->jobs().Explain(missing).status()), "BAD_FIELD");
  const v1::Job job = Submit();
  EXPECT_EQ(Explain(job.name()).summary(), "no worker has registered yet");
  const std::string session = Session("w1");
  EXPECT_EQ(Explain(job.name()).workers(0).obstacle(), v1::OBSTACLE_NOT_ASKING);
  EXPECT_EQ(FromProto(Explain(job.name()).expected_start_time()), clock_.Now());
  const v1::Lease lease = Lease(session);
  EXPECT_EQ(Explain(job.name()).summary(), "given to workers/w1, which is to start it");
  ASSERT_TRUE(Start(session, lease).ok());
  EXPECT_EQ(Explain(job.name()).summary(), "runs on workers/w1");
  const v1::Job next = Submit([](v1::Job& one) { one.mutable_requirements()->set_cpus(4); });
  const auto waits = Explain(next.name());
  EXPECT_EQ(waits.queue_place(), 1);
  EXPECT_EQ(waits.workers(0).reason(), "busy: 3 of 4 cpus free, needs 4");
  ASSERT_TRUE(waits.has_expected_start_time());
  EXPECT_GE(FromProto(waits.expected_start_time()) - clock_.Now(), minutes(59));
  ASSERT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_FAILED), v1::JOB_STATE_QUEUED);
  const std::string summary = Explain(job.name()).summary();
  EXPECT_TRUE(summary == "its next attempt may start in 1 s: 1 failed" ||
              summary == "its next attempt may start in 2 s: 1 failed")
      << summary;
  ASSERT_TRUE(CancelJob(job.name(), "why").ok());
  EXPECT_EQ(Explain(job.name()).summary(), "has ended: why");
}

TEST_F(QueueTest, WhatRunsIsKnownAfterARestart) {
  const std::string session = Session("w1");
  const v1::Job job = Submit([](v1::Job& one) { one.mutable_requirements()->set_cpus(4); });
  Run(session);
  clock_.Advance(minutes(10));
  Restart();
  const v1::Job next = Submit();
  const auto waits = Explain(next.name());
  EXPECT_EQ(waits.workers(0).reason(), "busy: 0 of 4 cpus free, needs 1");
  ASSERT_TRUE(waits.has_expected_start_time());
  EXPECT_LE(FromProto(waits.expected_start_time()) - clock_.Now(), minutes(50));
  EXPECT_GE(FromProto(waits.expected_start_time()) - clock_.Now(), minutes(49));
}

}  // namespace
}  // namespace benchwire::core
