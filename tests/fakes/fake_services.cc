#include "tests/fakes/fake_services.h"

#include <google/rpc/status.pb.h>
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fakes/fake_call.h"

namespace benchwire {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    auto* any = details.add_details();
    any->set_type_url(std::string(url));
    any->set_value(std::string(value));
  });
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message()), details.SerializeAsString()};
}

google::protobuf::Timestamp FakeNow() { return ToProto(SystemClock().Now()); }

v1::Job* FakeState::FindJob(const std::string& name) {
  for (v1::Job& job : jobs) {
    if (job.name() == name) return &job;
  }
  return nullptr;
}

void FakeState::AddEvent(const std::string& resource, v1::EventType type, const std::string& state) {
  v1::Event& event = events.emplace_back();
  event.set_revision(static_cast<int64_t>(events.size()));
  *event.mutable_time() = FakeNow();
  event.set_type(type);
  event.set_resource(resource);
  event.set_state(state);
}

void FakeState::SetJobState(const std::string& name, v1::JobState state) {
  FindJob(name)->set_state(state);
  AddEvent(name, v1::EVENT_TYPE_UPDATED, v1::JobState_Name(state));
}

FakeServer::FakeServer() {
  services_.push_back(NewFakeJobService(*this));
  services_.push_back(NewFakeFleetService(*this));
  services_.push_back(NewFakeEventService(*this));
  services_.push_back(NewFakeDigestService(*this));
}

FakeServer::~FakeServer() { Stop(); }

void FakeServer::Start() {
  {
    MutexLock lock(mutex_);
    stopping_ = false;
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  for (const auto& service : services_) builder.RegisterService(service.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    std::fputs("fake server: cannot listen\n", stderr);
    std::abort();
  }
}

void FakeServer::Stop() {
  if (server_ == nullptr) return;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  server_.reset();
}

std::string FakeServer::address() const { return "127.0.0.1:" + std::to_string(port_.port()); }

void FakeServer::Change(const std::function<void(FakeState&)>& change) {
  MutexLock lock(mutex_);
  change(state_);
  changed_.notify_all();
}

void FakeServer::FailNext(const std::string& method, int times, const absl::Status& error) {
  MutexLock lock(mutex_);
  failures_[method] = {times, error};
}

int FakeServer::Calls(const std::string& method) const {
  MutexLock lock(mutex_);
  const auto calls = calls_.find(method);
  return calls == calls_.end() ? 0 : calls->second;
}

int FakeServer::OpenStreams() const {
  MutexLock lock(mutex_);
  return streams_;
}

}  // namespace benchwire
