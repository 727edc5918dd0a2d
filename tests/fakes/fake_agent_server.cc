#include "tests/fakes/fake_agent_server.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "benchwire/v1/agent_service.grpc.pb.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"

namespace benchwire {
namespace {

constexpr std::chrono::seconds kPatience{20};

grpc::Status Refuse(const std::string& reason, const std::map<std::string, std::string>& metadata = {}) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain("benchwire");
  info.mutable_metadata()->insert(metadata.begin(), metadata.end());
  google::rpc::Status details;
  details.set_code(grpc::StatusCode::FAILED_PRECONDITION);
  details.add_details()->PackFrom(info);
  return {grpc::StatusCode::FAILED_PRECONDITION, reason, details.SerializeAsString()};
}

grpc::Status Lost() { return {grpc::StatusCode::UNAVAILABLE, "the reply was lost"}; }

}  // namespace

class FakeAgentServer::Service final : public v1::AgentService::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::ReportResponse, v1::ReportRequest>;

  grpc::Status RegisterWorker(grpc::ServerContext*, const v1::RegisterWorkerRequest* request,
                              v1::RegisterWorkerResponse* response) override {
    MutexLock lock(mutex);
    if (faults.mute) return Lost();
    if (!faults.refuse.empty()) return {grpc::StatusCode::INVALID_ARGUMENT, faults.refuse};
    registrations.push_back(*request);
    session = "s" + std::to_string(++sessions);
    response->set_session(session);
    *response->mutable_ttl() = ToProto(ttl);
    for (const auto& [name, attempt] : attempts) {
      if (attempt.leased && !attempt.completion && !attempt.stale && !faults.forget_attempts)
        response->add_attempts(name);
    }
    return grpc::Status::OK;
  }

  grpc::Status LeaseJob(grpc::ServerContext* context, const v1::LeaseJobRequest* request,
                        v1::LeaseJobResponse* response) override {
    const auto end = std::chrono::steady_clock::now() + FromProto(request->wait());
    {
      MutexLock lock(mutex);
      request_ids.push_back(request->request_id());
    }
    while (!context->IsCancelled()) {
      {
        MutexLock lock(mutex);
        if (request->session() != session) return Refuse("STALE_SESSION");
        std::string name = granted[request->request_id()];
        for (const std::string& next : order) {
          if (name.empty() && !attempts[next].leased) name = next;
        }
        if (!name.empty()) {
          granted[request->request_id()] = name;
          attempts[name].leased = true;
          if (faults.lost_lease_replies > 0) {
            --faults.lost_lease_replies;
            return Lost();
          }
          *response->mutable_lease() = attempts[name].lease;
          return grpc::Status::OK;
        }
      }
      if (std::chrono::steady_clock::now() >= end) return grpc::Status::OK;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {grpc::StatusCode::CANCELLED, "cancelled"};
  }

  grpc::Status StartAttempt(grpc::ServerContext*, const v1::StartAttemptRequest* request,
                            v1::StartAttemptResponse*) override {
    MutexLock lock(mutex);
    FakeAttempt* attempt = Find(request->fence());
    if (attempt == nullptr) return Refuse("STALE_LEASE");
    if (request->session() != session) return Refuse("STALE_SESSION");
    if (attempt->cancel) return Refuse("CANCELLED");
    attempt->started = true;
    if (faults.lost_start_replies-- > 0) return Lost();
    return grpc::Status::OK;
  }

  grpc::Status RenewLease(grpc::ServerContext*, const v1::RenewLeaseRequest* request,
                          v1::RenewLeaseResponse* response) override {
    MutexLock lock(mutex);
    if (faults.mute) return Lost();
    if (request->session() != session) return Refuse("STALE_SESSION");
    ++renewals;
    *response->mutable_ttl() = ToProto(ttl);
    response->set_drain(drain);
    for (const auto& [name, progress] : request->progress()) {
      if (attempts[name].cancel) response->add_cancel(name);
      if (attempts[name].stale) response->add_stale(name);
    }
    return grpc::Status::OK;
  }

  grpc::Status Report(grpc::ServerContext*, Stream* stream) override {
    v1::ReportRequest request;
    std::string name;
    grpc::Status status;
    while (stream->Read(&request)) {
      MutexLock lock(mutex);
      status = Take(request, stream);
      if (!status.ok()) break;
      name = request.fence().attempt();
    }
    MutexLock lock(mutex);
    if (streams[name] == stream) streams.erase(name);
    return status;
  }

  grpc::Status CompleteAttempt(grpc::ServerContext*, const v1::CompleteAttemptRequest* request,
                               v1::CompleteAttemptResponse* response) override {
    MutexLock lock(mutex);
    FakeAttempt* attempt = Find(request->fence());
    if (attempt == nullptr) return Refuse("STALE_LEASE");
    if (request->last_sequence() > attempt->last_sequence) {
      return Refuse("MISSING_REPORTS", {{"next_sequence", std::to_string(attempt->last_sequence + 1)}});
    }
    if (faults.refuse_results && request->has_result()) return {grpc::StatusCode::INVALID_ARGUMENT, "not a result"};
    if (faults.refuse_environments && !request->environment().empty()) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "not an environment"};
    }
    ++attempt->completions;
    if (!attempt->completion) attempt->completion = *request;
    response->set_job_state(v1::JOB_STATE_SUCCEEDED);
    if (faults.lost_complete_replies-- > 0) return Lost();
    return grpc::Status::OK;
  }

  FakeAttempt* Find(const v1::Fence& fence) REQUIRES(mutex) {
    const auto found = attempts.find(fence.attempt());
    if (found == attempts.end() || found->second.stale || found->second.lease.fence().token() != fence.token())
      return nullptr;
    return &found->second;
  }

  grpc::Status Take(const v1::ReportRequest& request, Stream* stream) REQUIRES(mutex) {
    FakeAttempt* attempt = Find(request.fence());
    if (attempt == nullptr) return Refuse("STALE_LEASE");
    if (request.session() != session) return Refuse("STALE_SESSION");
    streams[request.fence().attempt()] = stream;
    attempt->largest = std::max(attempt->largest, request.ByteSizeLong());
    if (request.sequence() == 0 && request.has_progress()) ++attempt->progress_messages;
    if (request.sequence() > 0 && faults.forget_batch > 0 && request.sequence() >= faults.forget_batch) {
      return grpc::Status::OK;
    }
    if (request.sequence() == attempt->last_sequence + 1) {
      ++attempt->last_sequence;
      attempt->log += request.log();
      attempt->points.insert(attempt->points.end(), request.points().begin(), request.points().end());
      attempt->measurements.insert(attempt->measurements.end(), request.measurements().begin(),
                                   request.measurements().end());
      for (const v1::ArtifactChunk& chunk : request.artifacts()) {
        std::string& bytes = attempt->artifacts[chunk.path()];
        if (chunk.offset() == static_cast<int64_t>(bytes.size())) bytes += chunk.data();
        if (chunk.last()) attempt->artifact_ends.push_back(chunk);
      }
    } else if (request.sequence() > 0 && request.sequence() <= attempt->last_sequence) {
      ++attempt->repeated;
    }
    if (request.sequence() == 0 && !attempt->cancel) return grpc::Status::OK;
    if (!faults.no_acknowledgements) Answer(request.fence().attempt(), stream);
    return grpc::Status::OK;
  }

  void Answer(const std::string& name, Stream* stream) REQUIRES(mutex) {
    v1::ReportResponse response;
    response.set_attempt(name);
    response.set_acknowledged_sequence(attempts[name].last_sequence);
    response.set_next_sequence(attempts[name].last_sequence + 1);
    response.set_cancel(attempts[name].cancel);
    response.set_drain(drain);
    stream->Write(response);
  }

  mutable Mutex mutex;
  std::chrono::milliseconds ttl GUARDED_BY(mutex){45'000};
  FakeFaults faults GUARDED_BY(mutex);
  bool drain GUARDED_BY(mutex) = false;
  std::string session GUARDED_BY(mutex);
  int sessions GUARDED_BY(mutex) = 0;
  int renewals GUARDED_BY(mutex) = 0;
  std::map<std::string, FakeAttempt> attempts GUARDED_BY(mutex);
  std::vector<std::string> order GUARDED_BY(mutex);
  std::map<std::string, std::string> granted GUARDED_BY(mutex);
  std::map<std::string, Stream*> streams GUARDED_BY(mutex);
  std::vector<v1::RegisterWorkerRequest> registrations GUARDED_BY(mutex);
  std::vector<std::string> request_ids GUARDED_BY(mutex);
};

struct FakeAgentServer::Server {
  std::unique_ptr<grpc::Server> grpc;
};

FakeAgentServer::FakeAgentServer() : service_(std::make_unique<Service>()), server_(std::make_unique<Server>()) {}

FakeAgentServer::~FakeAgentServer() { Stop(); }

void FakeAgentServer::Start() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterService(service_.get());
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  server_->grpc = builder.BuildAndStart();
  ASSERT_NE(server_->grpc, nullptr);
}

void FakeAgentServer::Stop() {
  if (server_->grpc == nullptr) return;
  server_->grpc->Shutdown(std::chrono::system_clock::now());
  server_->grpc.reset();
  MakeSessionsStale();
}

std::string FakeAgentServer::address() const { return "127.0.0.1:" + std::to_string(port_.port()); }

void FakeAgentServer::SetTtl(std::chrono::milliseconds ttl) {
  MutexLock lock(service_->mutex);
  service_->ttl = ttl;
}

void FakeAgentServer::SetFaults(const FakeFaults& faults) {
  MutexLock lock(service_->mutex);
  service_->faults = faults;
}

void FakeAgentServer::SetDrain(bool drain) {
  MutexLock lock(service_->mutex);
  service_->drain = drain;
}

std::string FakeAgentServer::AddJob(const std::string& kind, const std::string& spec, std::chrono::milliseconds timeout,
                                    const std::vector<std::string>& devices) {
  MutexLock lock(service_->mutex);
  const std::string name = "jobs/j" + std::to_string(service_->attempts.size() + 1) + "/attempts/1";
  FakeAttempt& attempt = service_->attempts[name];
  attempt.lease.mutable_fence()->set_attempt(name);
  attempt.lease.mutable_fence()->set_epoch(1);
  attempt.lease.mutable_fence()->set_token("0123456789abcdef");
  attempt.lease.set_kind(kind);
  attempt.lease.set_spec_json(spec);
  attempt.lease.set_seed(42);
  for (const std::string& device : devices) attempt.lease.add_devices(device);
  *attempt.lease.mutable_timeout() = ToProto(timeout);
  attempt.lease.mutable_start_deadline()->set_seconds(10);
  service_->order.push_back(name);
  return name;
}

void FakeAgentServer::Cancel(const std::string& attempt) {
  MutexLock lock(service_->mutex);
  service_->attempts[attempt].cancel = true;
  const auto stream = service_->streams.find(attempt);
  if (stream != service_->streams.end()) service_->Answer(attempt, stream->second);
}

void FakeAgentServer::MakeStale(const std::string& attempt) {
  MutexLock lock(service_->mutex);
  service_->attempts[attempt].stale = true;
}

void FakeAgentServer::MakeSessionsStale() {
  MutexLock lock(service_->mutex);
  service_->session = "none";
}

FakeAttempt FakeAgentServer::Get(const std::string& attempt) const {
  MutexLock lock(service_->mutex);
  return service_->attempts[attempt];
}

std::vector<v1::RegisterWorkerRequest> FakeAgentServer::registrations() const {
  MutexLock lock(service_->mutex);
  return service_->registrations;
}

std::vector<std::string> FakeAgentServer::lease_request_ids() const {
  MutexLock lock(service_->mutex);
  return service_->request_ids;
}

int FakeAgentServer::renewals() const {
  MutexLock lock(service_->mutex);
  return service_->renewals;
}

bool FakeAgentServer::WaitFor(const std::function<bool()>& condition) const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool FakeAgentServer::WaitFor(const std::string& attempt,
                              const std::function<bool(const FakeAttempt&)>& condition) const {
  return WaitFor([&] {
    MutexLock lock(service_->mutex);
    return condition(service_->attempts[attempt]);
  });
}

v1::CompleteAttemptRequest FakeAgentServer::WaitCompletion(const std::string& attempt) const {
  EXPECT_TRUE(WaitFor(attempt, [](const FakeAttempt& a) { return a.completion.has_value(); })) << attempt;
  return Get(attempt).completion.value_or(v1::CompleteAttemptRequest());
}

}  // namespace benchwire
