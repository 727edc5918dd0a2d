// The whole server but its gateway, over real connections and real files.
#include <functional>
#include <future>

#include "tests/integration/rpc_fixture.h"

namespace benchwire {
namespace {

std::vector<int64_t> Range(int64_t first, int64_t last) {
  std::vector<int64_t> out;
  for (int64_t i = first; i <= last; ++i) out.push_back(i);
  return out;
}

TEST_F(Rpc, BadInputIsAnInvalidArgumentThatNamesItsField) {
  const std::string session = RegisterWorker();
  Client& c = *client_;
  auto create_job = [&](const std::function<void(v1::Job&)>& set) {
    v1::CreateJobRequest request;
    request.mutable_job()->mutable_p2p();
    set(*request.mutable_job());
    v1::Job job;
    return Call(*c.jobs, &JobStub::CreateJob, request, job);
  };
  auto list_jobs = [&](const std::function<void(v1::ListJobsRequest&)>& set) {
    v1::ListJobsRequest request;
    set(request);
    v1::ListJobsResponse response;
    return Call(*c.jobs, &JobStub::ListJobs, request, response);
  };
  std::vector<std::pair<std::string, grpc::Status>> answers = {
      {"job.spec", create_job([](v1::Job& j) { j.clear_spec(); })},
      {"job.p2p.sizes_bytes", create_job([](v1::Job& j) { j.mutable_p2p()->add_sizes_bytes(INT64_MAX); })},
      {"job.timeout", create_job([](v1::Job& j) { j.mutable_timeout()->set_seconds(INT64_MIN); })},
      {"job.display_name", create_job([](v1::Job& j) { j.set_display_name(std::string("a\0b", 3)); })},
      {"job.labels", create_job([](v1::Job& j) { (*j.mutable_labels())["Key"] = "v"; })},
      {"job.state", create_job([](v1::Job& j) { j.set_state(v1::JOB_STATE_SUCCEEDED); })},
      {"page_size", list_jobs([](v1::ListJobsRequest& r) { r.set_page_size(-1); })},
      {"page_token", list_jobs([](v1::ListJobsRequest& r) { r.set_page_token("%%"); })},
      {"states", list_jobs([](v1::ListJobsRequest& r) { r.add_states(static_cast<v1::JobState>(77)); })},
  };
  {
    v1::GetJobRequest request;
    request.set_name("jobs/../etc");
    v1::Job job;
    answers.emplace_back("name", Call(*c.jobs, &JobStub::GetJob, request, job));
    v1::ReadLogRequest read;
    read.set_name("jobs/0/attempts/1");
    read.set_offset(-1);
    v1::LogChunk chunk;
    answers.emplace_back("offset", Call(*c.jobs, &JobStub::ReadLog, read, chunk));
    v1::LeaseJobRequest lease = LeaseRequest(session);
    lease.mutable_wait()->set_seconds(31);
    v1::LeaseJobResponse leased;
    answers.emplace_back("wait", Call(*c.agents, &AgentStub::LeaseJob, lease, leased));
    v1::RegisterWorkerRequest worker;
    worker.set_worker("workers/UPPER");
    v1::RegisterWorkerResponse registered;
    answers.emplace_back("worker", Call(*c.agents, &AgentStub::RegisterWorker, worker, registered));
    v1::CreateDigestRequest digest;
    digest.set_digest_id("2026-02-30");
    v1::Digest made;
    answers.emplace_back("digest_id", Call(*c.digests, &v1::DigestService::Stub::CreateDigest, digest, made));
  }
  {
    Context context;
    v1::WatchEventsRequest request;
    request.set_after_revision(-1);
    answers.emplace_back("after_revision", c.events->WatchEvents(&context, request)->Finish());
    Context log_context;
    v1::WatchLogRequest log;
    log.set_name("jobs/0");
    answers.emplace_back("name", c.jobs->WatchLog(&log_context, log)->Finish());
    Context report_context;
    const auto stream = c.agents->Report(&report_context);
    v1::Lease none;
    none.mutable_fence()->set_attempt("jobs/0/attempts/1");
    stream->Write(Batch(session, none, -1, ""));
    answers.emplace_back("sequence", stream->Finish());
  }
  for (const auto& [field, status] : answers) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field << ": " << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
    EXPECT_EQ(ReasonOf(status), "BAD_FIELD") << field;
  }
}

TEST_F(Rpc, AJobThatWaitsIsExplainedWorkerByWorker) {
  const v1::Job job = CreateJob();
  const std::string session = RegisterWorker();
  EXPECT_EQ(ExplainJob(job.name()).workers(0).reason(), "free, but has not asked for a job");
  Run(session);
  EXPECT_EQ(ExplainJob(job.name()).summary(), "runs on workers/w1");
  const v1::JobExplanation next = ExplainJob(CreateJob().name());
  EXPECT_EQ(next.queue_place(), 1);
  EXPECT_EQ(next.workers(0).reason(), "busy: " + job.name() + " has the whole machine");
  EXPECT_TRUE(next.has_expected_start_time());
  v1::ExplainJobRequest request;
  request.set_name("jobs/nosuch");
  v1::JobExplanation none;
  EXPECT_EQ(Call(*client_->jobs, &JobStub::ExplainJob, request, none).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(Rpc, EventsComeInOrderAndAWatchResumesWhereItStopped) {
  RegisterWorker();
  for (int i = 0; i < 4; ++i) CreateJob();
  EXPECT_EQ(Revisions(0, 5), Range(1, 5));
  EXPECT_EQ(Revisions(3, 2), Range(4, 5));
  // Only what is new: the watch stands once its headers are there.
  Context context;
  v1::WatchEventsRequest request;
  request.set_resource_prefix("jobs/");
  const auto stream = client_->events->WatchEvents(&context, request);
  stream->WaitForInitialMetadata();
  RegisterWorker("w2");
  const v1::Job job = CreateJob();
  v1::Event event;
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_EQ(event.resource(), job.name());
  EXPECT_EQ(event.revision(), 7);
  EXPECT_EQ(event.state(), "JOB_STATE_QUEUED");
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  Context unknown;
  request.set_after_revision(8);
  EXPECT_EQ(ReasonOf(client_->events->WatchEvents(&unknown, request)->Finish()), "REVISION_UNKNOWN");
}

TEST_F(Rpc, ASlowReaderHoldsNobodyAndMissesNothing) {
  constexpr int64_t kEvents = 4000;
  Context context;
  v1::WatchEventsRequest request;
  request.set_after_revision(0);
  const auto slow = client_->events->WatchEvents(&context, request);
  slow->WaitForInitialMetadata();
  // More than the connection's windows hold.
  ASSERT_TRUE(server_->store()
                  .Write([](storage::Transaction& tx) -> absl::Status {
                    for (int64_t i = 0; i < kEvents; ++i) {
                      const std::string name = "jobs/" + std::string(300, 'x');
                      RETURN_IF_ERROR(core::AppendEvent(tx, v1::EVENT_TYPE_UPDATED, name, "", SystemClock().Now()));
                    }
                    return absl::OkStatus();
                  })
                  .ok());
  Client other(*server_);
  std::swap(*client_, other);
  EXPECT_EQ(Revisions(0, kEvents), Range(1, kEvents));
  CreateJob();
  std::vector<int64_t> seen;
  v1::Event event;
  while (seen.size() < kEvents + 1 && slow->Read(&event)) seen.push_back(event.revision());
  EXPECT_EQ(seen, Range(1, kEvents + 1));
  context.TryCancel();
  slow->Finish();
}

TEST_F(Rpc, ALogIsFollowedToItsEnd) {
  const std::string session = RegisterWorker();
  CreateJob();
  const v1::Lease lease = Run(session);
  Context report_context, watch_context;
  const auto report = client_->agents->Report(&report_context);
  v1::WatchLogRequest request;
  request.set_name(lease.fence().attempt());
  const auto watch = client_->jobs->WatchLog(&watch_context, request);
  v1::ReportResponse acknowledged;
  v1::LogChunk chunk;
  std::string seen;
  for (int64_t sequence = 1; sequence <= 3; ++sequence) {
    const std::string line = "line " + std::to_string(sequence) + "\n";
    ASSERT_TRUE(report->Write(Batch(session, lease, sequence, line)));
    ASSERT_TRUE(report->Read(&acknowledged));
    EXPECT_EQ(acknowledged.acknowledged_sequence(), sequence);
    ASSERT_TRUE(watch->Read(&chunk));
    EXPECT_EQ(chunk.data(), line);
    seen += chunk.data();
    EXPECT_EQ(chunk.next_offset(), static_cast<int64_t>(seen.size()));
  }
  report->WritesDone();
  EXPECT_TRUE(report->Finish().ok());
  EXPECT_EQ(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 3), v1::JOB_STATE_SUCCEEDED);
  bool end = false;
  while (watch->Read(&chunk)) {
    seen += chunk.data();
    end = chunk.end();
  }
  EXPECT_TRUE(end);
  EXPECT_TRUE(watch->Finish().ok());
  EXPECT_EQ(seen, "line 1\nline 2\nline 3\n");
  // Resumed in the middle, after the end.
  Context again_context;
  request.set_offset(7);
  const auto again = client_->jobs->WatchLog(&again_context, request);
  seen.clear();
  while (again->Read(&chunk)) seen += chunk.data();
  EXPECT_TRUE(again->Finish().ok());
  EXPECT_EQ(seen, "line 2\nline 3\n");
}

TEST_F(Rpc, ACancelIsPushedOnTheReportStream) {
  const std::string session = RegisterWorker();
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  Context context;
  const auto report = client_->agents->Report(&context);
  v1::ReportResponse response;
  ASSERT_TRUE(report->Write(Batch(session, lease, 1, "x")));
  ASSERT_TRUE(report->Read(&response));
  EXPECT_FALSE(response.cancel());
  v1::CancelJobRequest cancel;
  cancel.set_name(job.name());
  v1::Job cancelled;
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::CancelJob, cancel, cancelled).ok());
  ASSERT_TRUE(report->Read(&response));
  EXPECT_TRUE(response.cancel());
  EXPECT_EQ(response.attempt(), lease.fence().attempt());
  EXPECT_EQ(Complete(lease, v1::ATTEMPT_OUTCOME_CANCELLED, 1), v1::JOB_STATE_CANCELLED);
  // What comes after the end is stale and ends the stream.
  report->Write(Batch(session, lease, 2, "y"));
  EXPECT_FALSE(report->Read(&response));
  EXPECT_EQ(ReasonOf(report->Finish()), "STALE_LEASE");
}

TEST_F(Rpc, AStopEndsWhateverIsParkedOrStreams) {
  const std::string session = RegisterWorker(), other = RegisterWorker("w2");
  CreateJob();
  const v1::Lease lease = Run(session);
  Context watch_context, log_context, report_context;
  v1::WatchEventsRequest watch;
  const auto events = client_->events->WatchEvents(&watch_context, watch);
  events->WaitForInitialMetadata();
  v1::WatchLogRequest watch_log;
  watch_log.set_name(lease.fence().attempt());
  const auto log = client_->jobs->WatchLog(&log_context, watch_log);
  log->WaitForInitialMetadata();
  const auto report = client_->agents->Report(&report_context);
  v1::ReportResponse acknowledged;
  v1::LogChunk chunk;
  ASSERT_TRUE(report->Write(Batch(session, lease, 1, "x")));
  ASSERT_TRUE(report->Read(&acknowledged));
  ASSERT_TRUE(log->Read(&chunk));
  v1::LeaseJobResponse leased;
  auto parked = std::async(std::launch::async,
                           [&] { return Call(*client_->agents, &AgentStub::LeaseJob, LeaseRequest(other), leased); });

  server_->EndParkedCalls();
  v1::Event event;
  while (events->Read(&event)) {
  }
  EXPECT_EQ(events->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(log->Read(&chunk));
  EXPECT_EQ(ReasonOf(log->Finish()), "STOPPING");
  EXPECT_FALSE(report->Read(&acknowledged));
  const grpc::Status reported = report->Finish();
  EXPECT_EQ(reported.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(ReasonOf(reported), "STOPPING");
  EXPECT_TRUE(parked.get().ok());
  EXPECT_FALSE(leased.has_lease());
  // All of that without a deadline of the server's; nothing is left that its stop would wait for.
  server_->Stop();
}

TEST_F(Rpc, ARestartKeepsEverythingAndARunningAttemptGoesOn) {
  const std::string session = RegisterWorker();
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  v1::ReportResponse acknowledged;
  {
    Context context;
    const auto report = client_->agents->Report(&context);
    v1::ReportRequest batch = Batch(session, lease, 1, "before ");
    v1::Measurement& row = *batch.add_measurements();
    row.set_metric("bandwidth");
    row.set_unit("B/s");
    row.set_value(1);
    row.set_status(v1::MEASUREMENT_STATUS_OK);
    ASSERT_TRUE(report->Write(batch));
    ASSERT_TRUE(report->Read(&acknowledged));
    StartServer();
    EXPECT_FALSE(report->Read(&acknowledged));
    EXPECT_EQ(report->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  const v1::Job after = GetJob(job.name());
  EXPECT_EQ(after.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(after.attempts_size(), 1);
  v1::RenewLeaseRequest renew;
  renew.set_session(session);
  (*renew.mutable_progress())[lease.fence().attempt()].set_fraction(0.5);
  v1::RenewLeaseResponse renewed;
  ASSERT_TRUE(Call(*client_->agents, &AgentStub::RenewLease, renew, renewed).ok());
  EXPECT_EQ(renewed.stale_size(), 0);
  Context context;
  const auto report = client_->agents->Report(&context);
  ASSERT_TRUE(report->Write(Batch(session, lease, 1, "before ")));  // Its answer may have been lost.
  ASSERT_TRUE(report->Read(&acknowledged));
  ASSERT_TRUE(report->Write(Batch(session, lease, 2, "after")));
  ASSERT_TRUE(report->Read(&acknowledged));
  EXPECT_EQ(acknowledged.acknowledged_sequence(), 2);
  EXPECT_EQ(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 2), v1::JOB_STATE_SUCCEEDED);
  v1::ReadLogRequest read;
  read.set_name(lease.fence().attempt());
  v1::LogChunk chunk;
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::ReadLog, read, chunk).ok());
  EXPECT_EQ(chunk.data(), "before after");
  v1::ListMeasurementsRequest list;
  list.set_parent(job.name());
  v1::ListMeasurementsResponse rows;
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::ListMeasurements, list, rows).ok());
  EXPECT_EQ(rows.measurements_size(), 1);
  // Registered, created, assigned, started, succeeded.
  EXPECT_EQ(Revisions(0, 5), Range(1, 5));
}

}  // namespace
}  // namespace benchwire
