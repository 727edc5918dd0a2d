// Clients that open a stream and do not read it hold nothing but their place: not the writers, not the few connections
// that read the databases, not the other clients.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/fakes/points.h"
#include "tests/integration/rpc_fixture.h"

namespace benchwire {
namespace {

using ReportStream = grpc::ClientReaderWriter<v1::ReportRequest, v1::ReportResponse>;

// More than there are connections that read the telemetry.
constexpr int kStuck = 12;

// A stream of which one message was read.
template <typename Message>
struct Stuck {
  Context context;
  std::unique_ptr<grpc::ClientReader<Message>> stream;
  ~Stuck() {
    context.TryCancel();
    if (stream) stream->Finish();
  }
};

class SlowReader : public Rpc {
 protected:
  SlowReader() : session_(RegisterWorker()) {
    CreateJob();
    lease_ = Run(session_);
    report_ = client_->agents->Report(&context_);
  }
  ~SlowReader() override {
    report_->WritesDone();
    v1::ReportResponse response;
    while (report_->Read(&response)) continue;
    report_->Finish();
  }

  // Sends a batch and waits until it is on disk.
  void Report(const std::string& log) {
    v1::ReportRequest batch = Batch(session_, lease_, ++sequence_, log);
    for (int i = 0; i < 500; ++i) *batch.add_points() = Point("loss", 500 * sequence_ + i, i);
    ASSERT_TRUE(report_->Write(batch));
    v1::ReportResponse response;
    do {
      ASSERT_TRUE(report_->Read(&response));
    } while (response.acknowledged_sequence() < sequence_);
  }

  template <typename Message, typename Open>
  std::vector<std::unique_ptr<Stuck<Message>>> OpenStuck(const Open& open) {
    std::vector<std::unique_ptr<Stuck<Message>>> out;
    for (int i = 0; i < kStuck; ++i) {
      // A channel each: what one stream leaves unread must not stand in another's way here.
      clients_.push_back(std::make_unique<Client>(*server_));
      auto& stuck = out.emplace_back(std::make_unique<Stuck<Message>>());
      stuck->stream = open(*clients_.back(), stuck->context);
      Message message;
      EXPECT_TRUE(stuck->stream->Read(&message));
    }
    return out;
  }

  const std::string session_;
  v1::Lease lease_;
  Context context_, second_context_;
  std::unique_ptr<ReportStream> report_;
  int64_t sequence_ = 0;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(SlowReader, StuckWatchesHoldNobodyElse) {
  const std::string attempt = lease_.fence().attempt();
  const std::string chunk(200'000, 'x');
  for (int i = 0; i < 10; ++i) Report(chunk);
  const auto logs = OpenStuck<v1::LogChunk>([&](Client& client, grpc::ClientContext& context) {
    v1::WatchLogRequest request;
    request.set_name(attempt);
    return client.jobs->WatchLog(&context, request);
  });
  const auto events = OpenStuck<v1::Event>([&](Client& client, grpc::ClientContext& context) {
    v1::WatchEventsRequest request;
    request.set_after_revision(0);
    return client.events->WatchEvents(&context, request);
  });
  // The log goes on, and is read by whoever reads.
  for (int i = 0; i < 20; ++i) {
    Report(chunk);
    v1::ReadLogRequest read;
    read.set_name(attempt);
    read.set_offset(i * 100'000);
    read.set_max_bytes(1 << 20);
    v1::LogChunk log;
    ASSERT_TRUE(Call(*client_->jobs, &JobStub::ReadLog, read, log).ok());
    EXPECT_EQ(log.data().size(), 1u << 20);
    v1::GetSeriesRequest series;
    series.set_name(attempt + "/series/1");
    series.set_max_buckets(100);
    v1::SeriesData data;
    ASSERT_TRUE(Call(*client_->jobs, &JobStub::GetSeries, series, data).ok());
    EXPECT_EQ(data.series().point_count(), sequence_ * 500);
  }
  EXPECT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  // One that is read again after all that still gets every byte.
  int64_t bytes = 0;
  v1::LogChunk log;
  while (logs.front()->stream->Read(&log)) bytes = log.next_offset();
  EXPECT_TRUE(logs.front()->stream->Finish().ok());
  logs.front()->stream.reset();
  EXPECT_EQ(bytes, sequence_ * 200'000);
}

// What one attempt may store is bounded whatever its worker does, and the job ends as it would have.
TEST_F(SlowReader, PointsBeyondTheLimitBecomeAWarningOfTheAttempt) {
  v1::ReportRequest batch = Batch(session_, lease_, ++sequence_, "");
  for (int i = 0; i < 1'200; ++i) *batch.add_points() = Point("m", 1, 1, {{"i", std::to_string(i)}});
  ASSERT_TRUE(report_->Write(batch));
  v1::ReportResponse response;
  ASSERT_TRUE(report_->Read(&response));
  EXPECT_EQ(response.acknowledged_sequence(), 1);
  EXPECT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  const v1::Attempt attempt = GetJob("jobs/" + ParseAttemptName("name", lease_.fence().attempt())->job).attempts(0);
  ASSERT_EQ(attempt.warnings_size(), 1);
  EXPECT_EQ(attempt.warnings(0).code(), "POINTS_DROPPED");
  EXPECT_NE(attempt.warnings(0).message().find("200 points"), std::string::npos) << attempt.warnings(0).message();
}

TEST_F(SlowReader, ALogBeyondTheLimitEndsTheStreamWithAReason) {
  v1::ReportResponse response;
  for (int i = 0; i < 3; ++i) Report(std::string(3 << 20, 'x'));
  ASSERT_TRUE(report_->Write(Batch(session_, lease_, sequence_ + 1, std::string(3 << 20, 'x'))));
  EXPECT_FALSE(report_->Read(&response));
  const grpc::Status status = report_->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ReasonOf(status), "LOG_FULL");
  report_ = client_->agents->Report(&second_context_);
  Report("the rest still fits");
}

}  // namespace
}  // namespace benchwire
