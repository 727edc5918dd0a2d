#include "tests/bench/load/fake_worker.h"

#include "server/base/random.h"
#include "server/base/status.h"
#include "tests/bench/load/rpc_load.h"

namespace benchwire::bench {
namespace {

std::string NewId() {
  SystemRandom random;
  return RandomId(random);
}

// One worker's lease, start and completion, over and over.
class Claimer final : public Step {
 public:
  Claimer(v1::AgentService::Stub& stub, std::string session, grpc::CompletionQueue& queue, int& left)
      : stub_(stub), session_(std::move(session)), queue_(queue), left_(left) {}

  // False: every job is in some worker's hands.
  bool Begin() {
    if (left_ == 0) return false;
    --left_;
    stage_ = 0;
    Send(stub_.AsyncLeaseJob(NewContext(), LeaseRequest(session_), &queue_), lease_reader_, lease_);
    return true;
  }

  bool Done() override {
    if (status_.ok() && stage_ == 0 && !lease_.has_lease()) status_ = {grpc::StatusCode::NOT_FOUND, "no job was given"};
    if (!status_.ok()) return false;
    const v1::Fence& fence = lease_.lease().fence();
    switch (stage_++) {
      case 0:
        Send(stub_.AsyncStartAttempt(NewContext(), StartRequest(session_, fence), &queue_), start_reader_, start_);
        return true;
      case 1:
        Send(stub_.AsyncCompleteAttempt(NewContext(), CompleteRequest(session_, fence), &queue_), complete_reader_,
             complete_);
        return true;
      default:
        return Begin();
    }
  }

  const grpc::Status& status() const { return status_; }

 private:
  grpc::ClientContext* NewContext() {
    context_.emplace();
    SetDeadline(*context_);
    return &*context_;
  }
  template <typename Reader, typename Response>
  void Send(std::unique_ptr<Reader> reader, std::unique_ptr<Reader>& kept, Response& response) {
    kept = std::move(reader);
    kept->Finish(&response, &status_, this);
  }

  v1::AgentService::Stub& stub_;
  const std::string session_;
  grpc::CompletionQueue& queue_;
  int& left_;  // Jobs nobody asked for yet, of all workers.
  int stage_ = 0;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::LeaseJobResponse>> lease_reader_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::StartAttemptResponse>> start_reader_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::CompleteAttemptResponse>> complete_reader_;
  v1::LeaseJobResponse lease_;
  v1::StartAttemptResponse start_;
  v1::CompleteAttemptResponse complete_;
  grpc::Status status_;
};

}  // namespace

absl::StatusOr<std::string> RegisterFakeWorker(v1::AgentService::Stub& stub, const std::string& id) {
  v1::RegisterWorkerRequest request;
  request.set_worker("workers/" + id);
  request.set_incarnation(NewId());
  v1::Inventory& inventory = *request.mutable_inventory();
  inventory.set_hostname(id);
  inventory.set_cpu_model("Bench");
  inventory.set_cpus(2);
  inventory.set_memory_bytes(int64_t{8} << 30);
  v1::RunnerDescription& runner = *inventory.add_runners();
  runner.set_kind("p2p");
  runner.set_version("0.1.0");
  runner.set_contract_version(1);
  runner.add_backends("host");
  grpc::ClientContext context;
  SetDeadline(context);
  v1::RegisterWorkerResponse response;
  RETURN_IF_ERROR(FromGrpc(stub.RegisterWorker(&context, request, &response)));
  return response.session();
}

v1::LeaseJobRequest LeaseRequest(const std::string& session) {
  v1::LeaseJobRequest request;
  request.set_session(session);
  request.set_request_id(NewId());
  request.mutable_wait()->set_seconds(10);
  return request;
}

v1::StartAttemptRequest StartRequest(const std::string& session, const v1::Fence& fence) {
  v1::StartAttemptRequest request;
  request.set_session(session);
  *request.mutable_fence() = fence;
  return request;
}

v1::CompleteAttemptRequest CompleteRequest(const std::string& session, const v1::Fence& fence) {
  v1::CompleteAttemptRequest request;
  request.set_session(session);
  *request.mutable_fence() = fence;
  request.set_outcome(v1::ATTEMPT_OUTCOME_SUCCEEDED);
  request.set_exit_code(0);
  request.mutable_result()->mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
  request.mutable_result()->mutable_p2p()->set_verdict(v1::P2P_VERDICT_PASS);
  request.set_runner_version("0.1.0");
  return request;
}

absl::Status ReportMeasurement(v1::AgentService::Stub& stub, const std::string& session, const v1::Fence& fence) {
  v1::ReportRequest request;
  request.set_session(session);
  *request.mutable_fence() = fence;
  request.set_sequence(1);
  v1::Measurement& row = *request.add_measurements();
  row.set_metric("bandwidth");
  row.set_case_("bw.unidir.write");
  row.set_unit("B/s");
  row.set_direction(v1::DIRECTION_HIGHER);
  row.set_estimator("median");
  row.set_status(v1::MEASUREMENT_STATUS_OK);
  for (int i = 0; i < 20; ++i) row.add_samples(12e9 + i * 1e7);
  row.set_value(12e9 + 9.5e7);
  grpc::ClientContext context;
  SetDeadline(context);
  auto stream = stub.Report(&context);
  v1::ReportResponse response;
  const bool acknowledged = stream->Write(request) && stream->Read(&response);
  stream->WritesDone();
  v1::ReportResponse more;
  while (stream->Read(&more)) {
  }
  RETURN_IF_ERROR(FromGrpc(stream->Finish()));
  if (acknowledged && response.acknowledged_sequence() == 1) return absl::OkStatus();
  return absl::InternalError("the server did not acknowledge the measurement");
}

absl::StatusOr<double> ClaimsPerSecond(const AgentStubs& stubs, const std::vector<std::string>& sessions, int jobs) {
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Claimer>> claimers;
  int left = jobs;
  size_t running = 0;
  const SteadyTime begin = std::chrono::steady_clock::now();
  for (const std::string& session : sessions) {
    claimers.push_back(std::make_unique<Claimer>(*stubs[claimers.size() % stubs.size()], session, queue, left));
    if (claimers.back()->Begin()) ++running;
  }
  Drive(queue, running);
  const double seconds = SecondsSince(begin);
  for (const auto& claimer : claimers) RETURN_IF_ERROR(FromGrpc(claimer->status()));
  return jobs / seconds;
}

}  // namespace benchwire::bench
