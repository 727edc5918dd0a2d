#include "tests/bench/durable/telemetry_figures.h"

#include <thread>
#include <vector>

#include "benchwire/v1/job_service.grpc.pb.h"
#include "server/base/mutex.h"
#include "server/base/status.h"
#include "tests/bench/load/fake_worker.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"

namespace benchwire::bench {
namespace {

constexpr int kStreams = 4;
constexpr int kPointsABatch = 500;
constexpr int kBatchesARound = 200;  // Of each stream.
constexpr int kWindow = 16;          // Batches in flight, as in a worker.
constexpr int kPointRounds = 5;

// An attempt that runs, and the batches it has sent.
class Reporter {
 public:
  Reporter(v1::AgentService::Stub& stub, std::string session, v1::Fence fence)
      : stub_(stub), session_(std::move(session)), fence_(std::move(fence)) {
    grpc::ClientContext& context = context_;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(5));
    stream_ = stub_.Report(&context);
  }

  // Sends one round and waits until it is acknowledged.
  absl::Status Round() {
    const int64_t target = sent_ + kBatchesARound;
    while (acknowledged_ < target) {
      while (sent_ < target && sent_ < acknowledged_ + kWindow) {
        if (!stream_->Write(Batch(++sent_))) return Failed();
      }
      v1::ReportResponse response;
      if (!stream_->Read(&response)) return Failed();
      acknowledged_ = std::max(acknowledged_, response.acknowledged_sequence());
    }
    return absl::OkStatus();
  }

 private:
  v1::ReportRequest Batch(int64_t sequence) {
    v1::ReportRequest request;
    request.set_session(session_);
    *request.mutable_fence() = fence_;
    request.set_sequence(sequence);
    for (int i = 0; i < kPointsABatch; ++i) {
      v1::Point& point = *request.add_points();
      point.set_metric(i % 2 == 0 ? "loss" : "return");
      point.set_step(step_ += i % 2);
      // No two alike, like what a training run reports.
      point.set_value(1.0 / static_cast<double>(1 + step_) + static_cast<double>(step_ * 7'919 % 1'000) * 1e-6);
    }
    return request;
  }
  absl::Status Failed() { return FromGrpc(stream_->Finish()); }

  v1::AgentService::Stub& stub_;
  const std::string session_;
  const v1::Fence fence_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ReportRequest, v1::ReportResponse>> stream_;
  int64_t sent_ = 0, acknowledged_ = 0, step_ = 0;
};

// One job that runs on a worker of its own.
absl::StatusOr<std::unique_ptr<Reporter>> StartOne(v1::JobService::Stub& jobs, v1::AgentService::Stub& agent,
                                                   const std::string& worker) {
  ASSIGN_OR_RETURN(const std::string session, RegisterFakeWorker(agent, worker));
  grpc::ClientContext create, take, start;
  v1::Job job;
  RETURN_IF_ERROR(FromGrpc(jobs.CreateJob(&create, SmallJob(), &job)));
  v1::LeaseJobResponse lease;
  RETURN_IF_ERROR(FromGrpc(agent.LeaseJob(&take, LeaseRequest(session), &lease)));
  if (!lease.has_lease()) return absl::InternalError("no job was given");
  v1::StartAttemptResponse started;
  RETURN_IF_ERROR(FromGrpc(agent.StartAttempt(&start, StartRequest(session, lease.lease().fence()), &started)));
  return std::make_unique<Reporter>(agent, session, lease.lease().fence());
}

}  // namespace

absl::Status MeasurePoints(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/points"));
  const auto jobs = Connect<v1::JobService>(PortOf(*server, "grpc"), 1);
  const AgentStubs agents = Connect<v1::AgentService>(PortOf(*server, "grpc"), kStreams);
  std::vector<std::unique_ptr<Reporter>> reporters;
  for (int i = 0; i < kStreams; ++i) {
    ASSIGN_OR_RETURN(auto one, StartOne(*jobs[0], *agents[static_cast<size_t>(i)], "points-" + std::to_string(i)));
    reporters.push_back(std::move(one));
  }
  std::vector<double> rates;
  for (int round = 0; round < kPointRounds; ++round) {
    std::vector<absl::Status> statuses(reporters.size());
    std::vector<std::thread> threads;
    const SteadyTime begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < reporters.size(); ++i) {
      threads.emplace_back([&, i] { statuses[i] = reporters[i]->Round(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
    rates.push_back(kStreams * kBatchesARound * kPointsABatch / SecondsSince(begin));
  }
  report.Add({"durable.points_per_s", "1/s", rates,
              "points of two series sent by each of 4 attempts over Report in batches of 500 and acknowledged, 16 "
              "batches in flight; 400,000 points a round",
              ">= 200000", "", 0});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
