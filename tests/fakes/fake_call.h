// What the fake services share: counting, failing and answering calls. For the .cc files of this folder.
#ifndef BENCHWIRE_TESTS_FAKES_FAKE_CALL_H_
#define BENCHWIRE_TESTS_FAKES_FAKE_CALL_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/clock.h"
#include "server/base/status.h"
#include "tests/fakes/fake_services.h"

namespace benchwire {

std::unique_ptr<grpc::Service> NewFakeJobService(FakeServer& owner);
std::unique_ptr<grpc::Service> NewFakeFleetService(FakeServer& owner);
std::unique_ptr<grpc::Service> NewFakeEventService(FakeServer& owner);
std::unique_ptr<grpc::Service> NewFakeDigestService(FakeServer& owner);

grpc::Status ToGrpc(const absl::Status& status);
google::protobuf::Timestamp FakeNow();

// One page of `items` starting where the token says; the token is an index.
template <typename Items, typename Response, typename Add>
void Page(const Items& items, int page_size, const std::string& token, Response& response, const Add& add) {
  const size_t size = page_size > 0 ? static_cast<size_t>(page_size) : 2;
  const size_t begin = token.empty() ? 0 : std::stoul(token);
  const size_t end = std::min(items.size(), begin + size);
  for (size_t i = begin; i < end; ++i) add(items[i]);
  if (end < items.size()) response.set_next_page_token(std::to_string(end));
}

template <typename Value>
std::vector<Value> Values(const std::map<std::string, Value>& map) {
  std::vector<Value> out;
  for (const auto& [key, value] : map) out.push_back(value);
  return out;
}

struct FakeCall {
  // Counts the call, tells version and time, and gives the failure it is to have.
  static absl::Status Begin(FakeServer& owner, grpc::ServerContext* context, const std::string& method)
      REQUIRES(owner.mutex_) {
    ++owner.calls_[method];
    context->AddInitialMetadata("benchwire-version", BENCHWIRE_VERSION);
    const auto now = std::chrono::floor<std::chrono::milliseconds>(SystemClock().Now().time_since_epoch());
    context->AddInitialMetadata("benchwire-time", std::to_string((now + owner.state_.clock_offset).count()));
    auto failure = owner.failures_.find(method);
    if (failure == owner.failures_.end() || failure->second.first <= 0) return absl::OkStatus();
    --failure->second.first;
    return failure->second.second;
  }

  // A unary call: `act` under the lock.
  template <typename Act>
  static grpc::Status Unary(FakeServer& owner, grpc::ServerContext* context, const std::string& method,
                            const Act& act) {
    MutexLock lock(owner.mutex_);
    absl::Status status = Begin(owner, context, method);
    if (status.ok()) status = act(owner.state_);
    owner.changed_.notify_all();
    return ToGrpc(status);
  }

  // A stream: `next` under the lock writes what there is and returns true at the end.
  template <typename Next>
  static grpc::Status Stream(FakeServer& owner, grpc::ServerContext* context, const std::string& method,
                             const Next& next) {
    MutexLock lock(owner.mutex_);
    absl::Status status = Begin(owner, context, method);
    if (!status.ok()) return ToGrpc(status);
    ++owner.streams_;
    bool done = false;
    while (!done) {
      absl::StatusOr<bool> end = next(owner.state_);
      status = end.status();
      done = !status.ok() || *end || owner.stopping_ || context->IsCancelled();
      if (!done) owner.changed_.wait_for(owner.mutex_, std::chrono::milliseconds(20));
    }
    --owner.streams_;
    if (status.ok() && owner.stopping_) status = absl::UnavailableError("the server is stopping");
    return ToGrpc(status);
  }
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_FAKE_CALL_H_
