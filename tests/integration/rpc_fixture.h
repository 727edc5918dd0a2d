// A server and a client of it, and the calls that tests make again and again.
#ifndef BENCHWIRE_TESTS_INTEGRATION_RPC_FIXTURE_H_
#define BENCHWIRE_TESTS_INTEGRATION_RPC_FIXTURE_H_

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/temporary_directory.h"
#include "tests/integration/test_server.h"

namespace benchwire {

// A call's context; its deadline only ends a test that hangs.
struct Context : grpc::ClientContext {
  Context() { set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(2)); }
};

template <typename Detail>
std::optional<Detail> DetailOf(const grpc::Status& status) {
  google::rpc::Status details;
  Detail out;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const auto& detail : details.details()) {
    if (detail.UnpackTo(&out)) return out;
  }
  return std::nullopt;
}

inline std::string FieldOf(const grpc::Status& status) {
  const auto bad_request = DetailOf<google::rpc::BadRequest>(status);
  return bad_request && bad_request->field_violations_size() > 0 ? bad_request->field_violations(0).field() : "";
}

inline std::string ReasonOf(const grpc::Status& status) {
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  return info ? info->reason() : "";
}

struct Client {
  explicit Client(const TestServer& server) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel = grpc::CreateCustomChannel(server.address(), grpc::InsecureChannelCredentials(), arguments);
    jobs = v1::JobService::NewStub(channel);
    fleet = v1::FleetService::NewStub(channel);
    agents = v1::AgentService::NewStub(channel);
    digests = v1::DigestService::NewStub(channel);
    events = v1::EventService::NewStub(channel);
  }
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::JobService::Stub> jobs;
  std::unique_ptr<v1::FleetService::Stub> fleet;
  std::unique_ptr<v1::AgentService::Stub> agents;
  std::unique_ptr<v1::DigestService::Stub> digests;
  std::unique_ptr<v1::EventService::Stub> events;
};

// One unary call.
template <typename Stub, typename Request, typename Response>
grpc::Status Call(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response& response) {
  Context context;
  return (stub.*method)(&context, request, &response);
}

class Rpc : public ::testing::Test {
 protected:
  using JobStub = v1::JobService::Stub;
  using AgentStub = v1::AgentService::Stub;

  Rpc() { StartServer(); }

  // Again: on the same port and the same files.
  void StartServer() {
    client_.reset();
    if (server_) StopServer();
    server_ = std::make_unique<TestServer>(directory_.path(), port_);
    client_ = std::make_unique<Client>(*server_);
  }

  void StopServer() {
    port_ = server_->port();
    server_.reset();
  }

  std::string RegisterWorker(const std::string& worker = "w1") {
    v1::RegisterWorkerRequest request;
    request.set_worker("workers/" + worker);
    request.set_incarnation("incarnation-1");
    request.mutable_inventory()->set_cpus(2);
    request.mutable_inventory()->set_memory_bytes(1 << 30);
    request.mutable_inventory()->add_runners()->set_kind("p2p");
    v1::RegisterWorkerResponse response;
    const grpc::Status status = Call(*client_->agents, &AgentStub::RegisterWorker, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session();
  }
  v1::Job CreateJob() {
    v1::CreateJobRequest request;
    request.mutable_job()->mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
    request.set_allow_unsatisfiable(true);
    v1::Job job;
    const grpc::Status status = Call(*client_->jobs, &JobStub::CreateJob, request, job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job;
  }
  v1::Job GetJob(const std::string& name) {
    v1::GetJobRequest request;
    request.set_name(name);
    v1::Job job;
    EXPECT_TRUE(Call(*client_->jobs, &JobStub::GetJob, request, job).ok());
    return job;
  }
  v1::JobExplanation ExplainJob(const std::string& name) {
    v1::ExplainJobRequest request;
    request.set_name(name);
    v1::JobExplanation explanation;
    EXPECT_TRUE(Call(*client_->jobs, &JobStub::ExplainJob, request, explanation).ok());
    return explanation;
  }
  static v1::LeaseJobRequest LeaseRequest(const std::string& session) {
    v1::LeaseJobRequest request;
    request.set_session(session);
    request.set_request_id("lease-000001");
    request.mutable_wait()->set_seconds(30);
    return request;
  }
  // Leases a job and starts it.
  v1::Lease Run(const std::string& session) {
    v1::LeaseJobResponse response;
    EXPECT_TRUE(Call(*client_->agents, &AgentStub::LeaseJob, LeaseRequest(session), response).ok());
    v1::StartAttemptRequest start;
    start.set_session(session);
    *start.mutable_fence() = response.lease().fence();
    v1::StartAttemptResponse started;
    const grpc::Status status = Call(*client_->agents, &AgentStub::StartAttempt, start, started);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.lease();
  }
  static v1::ReportRequest Batch(const std::string& session, const v1::Lease& lease, int64_t sequence,
                                 const std::string& log) {
    v1::ReportRequest request;
    request.set_session(session);
    *request.mutable_fence() = lease.fence();
    request.set_sequence(sequence);
    request.set_log(log);
    return request;
  }
  v1::JobState Complete(const v1::Lease& lease, v1::AttemptOutcome outcome, int64_t last_sequence) {
    v1::CompleteAttemptRequest request;
    *request.mutable_fence() = lease.fence();
    request.set_outcome(outcome);
    request.set_last_sequence(last_sequence);
    if (outcome == v1::ATTEMPT_OUTCOME_SUCCEEDED) request.mutable_result()->mutable_p2p();
    v1::CompleteAttemptResponse response;
    const grpc::Status status = Call(*client_->agents, &AgentStub::CompleteAttempt, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job_state();
  }
  // The next `count` revisions of a watch of everything after `revision`.
  std::vector<int64_t> Revisions(int64_t revision, size_t count) {
    Context context;
    v1::WatchEventsRequest request;
    request.set_after_revision(revision);
    const auto stream = client_->events->WatchEvents(&context, request);
    std::vector<int64_t> out;
    v1::Event event;
    while (out.size() < count && stream->Read(&event)) out.push_back(event.revision());
    context.TryCancel();
    stream->Finish();
    return out;
  }

  TemporaryDirectory directory_;
  int port_ = 0;
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Client> client_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_INTEGRATION_RPC_FIXTURE_H_
