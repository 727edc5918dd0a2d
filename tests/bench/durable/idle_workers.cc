#include "tests/bench/durable/idle_workers.h"

#include <grpcpp/alarm.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchwire/v1/agent_service.grpc.pb.h"
#include "tests/bench/load/fake_worker.h"
#include "tests/bench/load/rpc_load.h"

namespace benchwire::bench {
namespace {

constexpr std::chrono::seconds kRenewEvery{15};
constexpr int kLeaseWaitSeconds = 30;

// Asks for a job again and again. Jobs do not come.
class Asking final : public Step {
 public:
  Asking(v1::AgentService::Stub& stub, std::string session, grpc::CompletionQueue& queue)
      : stub_(stub), session_(std::move(session)), queue_(queue) {}

  bool Begin() {
    v1::LeaseJobRequest request = LeaseRequest(session_);
    request.mutable_wait()->set_seconds(kLeaseWaitSeconds);
    context_.emplace();
    context_->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2 * kLeaseWaitSeconds));
    reader_ = stub_.AsyncLeaseJob(&*context_, request, &queue_);
    reader_->Finish(&response_, &status_, this);
    return true;
  }
  bool Done() override { return status_.ok() && Begin(); }

 private:
  v1::AgentService::Stub& stub_;
  const std::string session_;
  grpc::CompletionQueue& queue_;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::LeaseJobResponse>> reader_;
  v1::LeaseJobResponse response_;
  grpc::Status status_;
};

// Renews the session at its times.
class Renewing final : public Step {
 public:
  Renewing(v1::AgentService::Stub& stub, const std::string& session, grpc::CompletionQueue& queue)
      : stub_(stub), queue_(queue) {
    request_.set_session(session);
  }

  // The first one after a part of the interval, so that not all come at once.
  bool Begin(double share) {
    waiting_ = true;
    const auto delay = std::chrono::duration_cast<std::chrono::milliseconds>(kRenewEvery * share);
    alarm_.Set(&queue_, std::chrono::system_clock::now() + delay, this);
    return true;
  }
  bool Done() override {
    if (!waiting_) return status_.ok() && Begin(1);
    waiting_ = false;
    context_.emplace();
    SetDeadline(*context_);
    reader_ = stub_.AsyncRenewLease(&*context_, request_, &queue_);
    reader_->Finish(&response_, &status_, this);
    return true;
  }

 private:
  v1::AgentService::Stub& stub_;
  grpc::CompletionQueue& queue_;
  v1::RenewLeaseRequest request_;
  bool waiting_ = false;
  grpc::Alarm alarm_;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::RenewLeaseResponse>> reader_;
  v1::RenewLeaseResponse response_;
  grpc::Status status_;
};

}  // namespace

int RunIdleWorkers(int argc, char** argv) {
  if (argc != 5) return 2;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const int count = std::stoi(argv[4]);
  const AgentStubs stubs = Connect<v1::AgentService>(argv[2], count);
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Asking>> asking;
  std::vector<std::unique_ptr<Renewing>> renewing;
  for (int i = 0; i < count; ++i) {
    v1::AgentService::Stub& stub = *stubs[static_cast<size_t>(i)];
    const auto session = RegisterFakeWorker(stub, argv[3] + std::string("-") + std::to_string(i));
    if (!session.ok()) {
      std::fprintf(stderr, "worker %d: %s\n", i, std::string(session.status().message()).c_str());
      return 1;
    }
    asking.push_back(std::make_unique<Asking>(stub, *session, queue));
    asking.back()->Begin();
    renewing.push_back(std::make_unique<Renewing>(stub, *session, queue));
    renewing.back()->Begin(static_cast<double>(i) / count);
  }
  std::puts("ready");
  std::fflush(stdout);
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
    if (!static_cast<Step*>(tag)->Done()) {
      std::fprintf(stderr, "a call failed\n");
      _exit(1);
    }
  }
  return 0;
}

}  // namespace benchwire::bench
