// Load on a gRPC service: a fixed number of calls in flight, spread over a few connections and driven by one thread, so
// that every figure is taken with the same client.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_RPC_LOAD_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_RPC_LOAD_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::bench {

inline constexpr int kConnections = 4;  // Of one load.

using SteadyTime = std::chrono::steady_clock::time_point;

inline double SecondsSince(SteadyTime begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

inline void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
}

// One stub a connection.
template <typename Service>
std::vector<std::unique_ptr<typename Service::Stub>> Connect(const std::string& port, int connections) {
  std::vector<std::unique_ptr<typename Service::Stub>> stubs;
  for (int i = 0; i < connections; ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // Else equal channels would share a connection.
    stubs.push_back(Service::NewStub(
        grpc::CreateCustomChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials(), arguments)));
  }
  return stubs;
}

// What has one call in flight at a time. Used by the thread that drives the load alone.
class Step {
 public:
  virtual ~Step() = default;
  // Its call has come back. False: it began no other.
  virtual bool Done() = 0;
};

// Runs until none of the `running` steps has a call in flight.
inline void Drive(grpc::CompletionQueue& queue, size_t running) {
  void* tag = nullptr;
  bool ok = false;
  while (running > 0 && queue.Next(&tag, &ok)) {
    if (!static_cast<Step*>(tag)->Done()) --running;
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

// One call after another of a unary method.
template <typename Request, typename Response>
class Caller final : public Step {
 public:
  using Prepare =
      std::function<std::unique_ptr<grpc::ClientAsyncResponseReader<Response>>(grpc::ClientContext*, const Request&)>;
  // The next request; none ends the load.
  using Next = std::function<std::optional<Request>()>;
  // Called with each good response.
  using Seen = std::function<void(const Response&)>;

  Caller(Prepare prepare, const Next& next, const Seen& seen)
      : prepare_(std::move(prepare)), next_(next), seen_(seen) {}

  // False: there is nothing to call with.
  bool Begin() {
    std::optional<Request> request = next_();
    if (!request) return false;
    context_.emplace();
    SetDeadline(*context_);
    response_.Clear();
    reader_ = prepare_(&*context_, *request);
    reader_->StartCall();
    reader_->Finish(&response_, &status_, this);
    return true;
  }

  bool Done() override {
    if (!status_.ok()) return false;
    ++count_;
    if (seen_) seen_(response_);
    return Begin();
  }

  int64_t count() const { return count_; }
  const grpc::Status& status() const { return status_; }

 private:
  const Prepare prepare_;
  const Next& next_;
  const Seen& seen_;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader_;
  Response response_;
  grpc::Status status_;
  int64_t count_ = 0;
};

// Calls a second until `next` gives none and all have come back. The first failed call is the error.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<double> CallsPerSecond(const std::vector<std::unique_ptr<Stub>>& stubs,
                                      std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*method)(
                                          grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
                                      int in_flight,
                                      const std::function<std::optional<std::type_identity_t<Request>>()>& next,
                                      const std::function<void(const std::type_identity_t<Response>&)>& seen = {}) {
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Caller<Request, Response>>> callers;
  const SteadyTime begin = std::chrono::steady_clock::now();
  size_t running = 0;
  for (int i = 0; i < in_flight; ++i) {
    Stub* stub = stubs[static_cast<size_t>(i) % stubs.size()].get();
    auto prepare = [stub, method, &queue](grpc::ClientContext* context, const Request& request) {
      return (stub->*method)(context, request, &queue);
    };
    callers.push_back(std::make_unique<Caller<Request, Response>>(prepare, next, seen));
    if (callers.back()->Begin()) ++running;
  }
  Drive(queue, running);
  const double seconds = SecondsSince(begin);
  int64_t count = 0;
  for (const auto& caller : callers) {
    if (!caller->status().ok()) return FromGrpc(caller->status());
    count += caller->count();
  }
  return static_cast<double>(count) / seconds;
}

// Gives what `make` makes until the time is over.
template <typename Make>
auto For(std::chrono::milliseconds duration, Make make) {
  const SteadyTime end = std::chrono::steady_clock::now() + duration;
  return [end, make = std::move(make)]() -> std::optional<decltype(make())> {
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    return make();
  };
}

// Gives what `make` makes `count` times.
template <typename Make>
auto Times(int count, Make make) {
  return [left = count, make = std::move(make)]() mutable -> std::optional<decltype(make())> {
    if (left == 0) return std::nullopt;
    --left;
    return make();
  };
}

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_RPC_LOAD_H_
