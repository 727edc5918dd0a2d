#include "tests/bench/durable/job_client.h"

#include <thread>

#include "server/base/status.h"
#include "tests/bench/load/rpc_load.h"

namespace benchwire::bench {
namespace {

constexpr std::chrono::minutes kPatience{2};

}  // namespace

JobClient::JobClient(const std::string& port)
    : stub_(v1::JobService::NewStub(grpc::CreateChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials()))) {}

absl::StatusOr<std::string> JobClient::Create(const v1::CreateJobRequest& request) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::Job job;
  RETURN_IF_ERROR(FromGrpc(stub_->CreateJob(&context, request, &job)));
  return job.name();
}

absl::StatusOr<v1::Job> JobClient::Get(const std::string& name) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::GetJobRequest request;
  request.set_name(name);
  v1::Job job;
  RETURN_IF_ERROR(FromGrpc(stub_->GetJob(&context, request, &job)));
  return job;
}

absl::Status JobClient::Cancel(const std::string& name) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::CancelJobRequest request;
  request.set_name(name);
  v1::Job job;
  return FromGrpc(stub_->CancelJob(&context, request, &job));
}

absl::StatusOr<std::string> JobClient::Log(const std::string& name) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::ReadLogRequest request;
  request.set_name(name + "/attempts/1");
  v1::LogChunk chunk;
  RETURN_IF_ERROR(FromGrpc(stub_->ReadLog(&context, request, &chunk)));
  return chunk.data();
}

absl::Status JobClient::WaitFor(std::chrono::milliseconds every,
                                const std::function<absl::StatusOr<bool>()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    ASSIGN_OR_RETURN(const bool holds, condition());
    if (holds) return absl::OkStatus();
    std::this_thread::sleep_for(every);
  }
  return absl::DeadlineExceededError("what was waited for did not come in two minutes");
}

absl::StatusOr<std::unique_ptr<Child>> StartTermWorker(const BenchPlace& place, const std::string& runners,
                                                       const std::string& port, const std::string& name) {
  return Child::StartSilent({place.binaries + "/benchwire-worker", "--server", "127.0.0.1:" + port, "--name", name,
                             "--runners", runners, "--work-dir", place.directory + "/work", "--log-level", "warn"},
                            place.directory + "/" + name + ".log");
}

}  // namespace benchwire::bench
