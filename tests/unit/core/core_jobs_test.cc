// Jobs and events as submitters and readers see them.
#include <future>

#include "tests/unit/core/core_fixture.h"

namespace benchwire::core {
namespace {

using std::chrono::seconds;

TEST_F(CoreTest, ARepeatedCreateGivesTheSameJobHoweverItsMapsAreOrdered) {
  v1::CreateJobRequest request = JobRequest("request-1");
  for (int i = 0; i < 20; ++i) (*request.mutable_job()->mutable_labels())["key-" + std::to_string(i)] = "v";
  const v1::Job job = *core_->jobs().Create(request, "local");
  for (int round = 0; round < 20; ++round) {
    v1::CreateJobRequest again = JobRequest("request-1");
    for (int i = 0; i < 20; ++i) {
      (*again.mutable_job()->mutable_labels())["key-" + std::to_string((i * 7 + round) % 20)] = "v";
    }
    const auto replay = core_->jobs().Create(again, "local");
    ASSERT_TRUE(replay.ok()) << replay.status();
    EXPECT_EQ(replay->name(), job.name());
    EXPECT_EQ(replay->seed(), job.seed());  // Drawn once.
  }
  EXPECT_EQ(core_->jobs().List({})->jobs_size(), 1);
  request.mutable_job()->set_priority(51);
  const absl::Status reused = core_->jobs().Create(request, "local").status();
  EXPECT_EQ(reused.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrorReason(reused), "REQUEST_ID_REUSED");
}

TEST_F(CoreTest, AJobNoWorkerCouldRunIsRefusedUnlessItMayWait) {
  v1::CreateJobRequest request = JobRequest("request-1");
  request.set_allow_unsatisfiable(false);
  EXPECT_EQ(ErrorReason(core_->jobs().Create(request, "local").status()), "UNSATISFIABLE");
  Session("w1");
  const auto job = core_->jobs().Create(request, "local");
  ASSERT_TRUE(job.ok());
  v1::RegisterWorkerRequest lesser;  // The worker comes back without its runner.
  lesser.set_worker("workers/w1");
  lesser.set_incarnation("incarnation-2");
  lesser.mutable_inventory()->set_cpus(1);
  ASSERT_TRUE(core_->fleet().Register(lesser).ok());
  const auto replay = core_->jobs().Create(request, "local");
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->name(), job->name());
  request.set_request_id("request-2");
  const absl::Status refused = core_->jobs().Create(request, "local").status();
  EXPECT_EQ(ErrorMetadata(refused, "w1"), "offers no runner of kind p2p");
}

TEST_F(CoreTest, CancellingAQueuedJobEndsIt) {
  const v1::Job job = CreateJob();
  EXPECT_EQ(CancelJob(job.name(), "not needed")->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(GetJob(job.name()).reason().message(), "not needed");
  const v1::Job again = *CancelJob(job.name(), "twice");
  EXPECT_EQ(again.etag(), GetJob(job.name()).etag());
  EXPECT_EQ(again.reason().message(), "not needed");
  EXPECT_EQ(CancelJob("jobs/0000").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CoreTest, CancellingAnAssignedJobEndsItAndFreesTheWorker) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Lease(session);
  EXPECT_EQ(CancelJob(job.name())->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(ErrorReason(Start(session, lease)), "CANCELLED");
  CreateJob();
  EXPECT_TRUE(Lease(session, "lease-000002").has_fence());
}

TEST_F(CoreTest, CancellingARunningJobIsPushedAndKeepsItsReason) {
  struct Sink final : ReportSink {
    void Push(const v1::ReportResponse& response) override { pushed.push_back(response); }
    std::vector<v1::ReportResponse> pushed;
  };
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  const auto sink = std::make_shared<Sink>();
  core_->workers().AddSink("w1", sink);
  const v1::Job cancelled = *CancelJob(job.name(), "wrong spec");
  EXPECT_EQ(cancelled.state(), v1::JOB_STATE_RUNNING);
  EXPECT_TRUE(cancelled.cancel_requested());
  ASSERT_EQ(sink->pushed.size(), 1u);
  EXPECT_TRUE(sink->pushed[0].cancel());
  EXPECT_EQ(sink->pushed[0].attempt(), lease.fence().attempt());
  EXPECT_TRUE(Report(session, lease, 1, "x")->cancel());  // Said again where the push was lost.
  EXPECT_EQ(*Complete(lease, v1::ATTEMPT_OUTCOME_FAILED, 1), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(GetJob(job.name()).reason().message(), "wrong spec");
  v1::RetryJobRequest retry;
  retry.set_name(job.name());
  const v1::Job again = *core_->jobs().Retry(retry, "local");
  EXPECT_EQ(again.retry_of(), job.name());
  EXPECT_EQ(again.spec_digest(), job.spec_digest());
  EXPECT_EQ(again.seed(), job.seed());
  retry.set_name(again.name());
  EXPECT_EQ(ErrorReason(core_->jobs().Retry(retry, "local").status()), "NOT_TERMINAL");
}

TEST_F(CoreTest, RetryRepeatsASpecOfAnyKind) {
  v1::CreateJobRequest request;
  request.mutable_job()->mutable_command()->set_command("sort-lines");
  (*request.mutable_job()->mutable_command()->mutable_parameters())["lines"] = "7";
  request.set_allow_unsatisfiable(true);
  const v1::Job job = *core_->jobs().Create(request, "local");
  ASSERT_TRUE(CancelJob(job.name()).ok());
  v1::RetryJobRequest retry;
  retry.set_name(job.name());
  const v1::Job again = *core_->jobs().Retry(retry, "local");
  EXPECT_EQ(again.command().ShortDebugString(), job.command().ShortDebugString());
  EXPECT_FALSE(again.has_p2p());
  EXPECT_EQ(again.spec_digest(), job.spec_digest());
}

TEST_F(CoreTest, ASucceededJobCannotBeCancelled) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  ASSERT_EQ(*Complete(Run(session), v1::ATTEMPT_OUTCOME_SUCCEEDED), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(ErrorReason(CancelJob(job.name()).status()), "ALREADY_TERMINAL");
}

TEST_F(CoreTest, AFailedJobWaitsBeforeItsNextAttempt) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  ASSERT_EQ(*Complete(Run(session), v1::ATTEMPT_OUTCOME_FAILED), v1::JOB_STATE_QUEUED);
  const auto call = LeaseCall(session, "lease-000002");
  EXPECT_FALSE(call->has_value());
  Pass(std::chrono::milliseconds(799));
  EXPECT_FALSE(call->has_value());
  Pass(std::chrono::milliseconds(402));
  EXPECT_EQ(LeaseOf(*call).fence().attempt(), job.name() + "/attempts/2");
}

TEST_F(CoreTest, PagesOfJobsAndMeasurementsJoinWithoutGaps) {
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i) {
    names.insert(names.begin(), CreateJob().name());
    clock_.Advance(seconds(1));
  }
  v1::ListJobsRequest request;
  request.set_page_size(2);
  std::vector<std::string> seen;
  do {
    const auto page = core_->jobs().List(request);
    ASSERT_TRUE(page.ok());
    for (const v1::Job& job : page->jobs()) seen.push_back(job.name());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(seen, names);
  request.set_page_size(-1);
  EXPECT_EQ(ErrorMetadata(core_->jobs().List(request).status(), "field"), "page_size");

  const std::string session = Session("w1");
  const v1::Lease lease = Run(session);
  for (int batch = 1; batch <= 3; ++batch) {
    ASSERT_TRUE(Report(session, lease, batch, "", {Row("a", {1}), Row("b", {1}), Row("a", {1})}).ok());
  }
  ASSERT_TRUE(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 3).ok());
  v1::ListMeasurementsRequest rows;
  rows.set_parent(lease.fence().attempt());
  rows.set_metric("a");
  rows.set_page_size(4);
  const auto first = core_->jobs().ListMeasurements(rows);
  EXPECT_EQ(first->measurements_size(), 4);
  rows.set_page_token(first->next_page_token());
  const auto second = core_->jobs().ListMeasurements(rows);
  ASSERT_EQ(second->measurements_size(), 2);
  EXPECT_EQ(second->measurements(1).name(), lease.fence().attempt() + "/measurements/3-3");
  EXPECT_EQ(second->next_page_token(), "");
  rows.set_metric("b");
  EXPECT_EQ(ErrorMetadata(core_->jobs().ListMeasurements(rows).status(), "field"), "page_token");
}

TEST_F(CoreTest, EveryChangeHasItsEventInOrder) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  ASSERT_TRUE(Complete(Run(session), v1::ATTEMPT_OUTCOME_SUCCEEDED).ok());
  const std::vector<v1::Event> events = Events();
  std::vector<std::string> states;
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].revision(), static_cast<int64_t>(i + 1));
    if (events[i].resource() == job.name()) states.push_back(events[i].state());
  }
  EXPECT_EQ(states, (std::vector<std::string>{"JOB_STATE_QUEUED", "JOB_STATE_ASSIGNED", "JOB_STATE_RUNNING",
                                              "JOB_STATE_SUCCEEDED"}));

  // A watch of jobs alone goes on after the last event it looked at, not after the last it was given.
  std::promise<absl::StatusOr<EventPage>> promise;
  core_->events().Next(0, "jobs/", [&](absl::StatusOr<EventPage> page) { promise.set_value(std::move(page)); });
  const auto page = promise.get_future().get();
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->events.size(), 4u);
  EXPECT_EQ(page->last_revision, static_cast<int64_t>(events.size()));

  v1::WatchEventsRequest watch;
  EXPECT_EQ(*core_->events().Begin(watch), static_cast<int64_t>(events.size()));
  watch.set_after_revision(static_cast<int64_t>(events.size()) + 1);
  EXPECT_EQ(ErrorReason(core_->events().Begin(watch).status()), "REVISION_UNKNOWN");
  watch.set_after_revision(-1);
  EXPECT_EQ(ErrorMetadata(core_->events().Begin(watch).status(), "field"), "after_revision");
}

TEST_F(CoreTest, AWatchWaitsForTheNextEventAndEndsWhenTheServerStops) {
  std::promise<absl::StatusOr<EventPage>> first, second;
  core_->events().Next(0, "", [&](absl::StatusOr<EventPage> page) { first.set_value(std::move(page)); });
  const v1::Job job = CreateJob();
  EXPECT_EQ(first.get_future().get()->events.front().resource(), job.name());
  core_->events().Next(1, "", [&](absl::StatusOr<EventPage> page) { second.set_value(std::move(page)); });
  core_->Stop();
  EXPECT_EQ(ErrorReason(second.get_future().get().status()), "STOPPING");
}

}  // namespace
}  // namespace benchwire::core
