#include "server/gateway/rpc_client.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_callback.h>

#include <set>
#include <vector>

#include "server/base/mutex.h"
#include "server/base/status.h"

namespace benchwire::gateway {
namespace {

absl::Status ToStatus(const grpc::Status& status) {
  return StatusFromWire(status.error_code(), status.error_message(), status.error_details());
}

grpc::ByteBuffer ToBuffer(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

std::string ToBytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return "";
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

// One call in flight. Owned by the set of the client until gRPC is done with it.
struct PendingCall {
  virtual ~PendingCall() = default;
  virtual bool is_stream() const { return false; }
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

// The calls in flight. Shared with each of them, since the last one may end after the client looked away.
class CallSet {
 public:
  // False where the client has stopped.
  bool Add(const std::shared_ptr<PendingCall>& call) {
    MutexLock lock(mutex_);
    if (!(call->is_stream() ? takes_streams_ : takes_calls_)) return false;
    calls_.insert(call);
    return true;
  }

  void Remove(const std::shared_ptr<PendingCall>& call) {
    MutexLock lock(mutex_);
    calls_.erase(call);
    if (calls_.empty()) empty_.notify_all();
  }

  // Takes no more calls of the kind and cancels those in flight.
  void Cancel(bool streams_only) {
    std::set<std::shared_ptr<PendingCall>> calls;
    {
      MutexLock lock(mutex_);
      takes_streams_ = false;
      takes_calls_ = takes_calls_ && streams_only;
      calls = calls_;
    }
    for (const auto& call : calls) {
      if (call->is_stream() || !streams_only) call->context.TryCancel();  // Outside the lock: it may call back.
    }
  }

  void WaitEmpty() {
    MutexLock lock(mutex_);
    while (!calls_.empty()) empty_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar empty_;
  std::set<std::shared_ptr<PendingCall>> calls_ GUARDED_BY(mutex_);
  bool takes_calls_ GUARDED_BY(mutex_) = true;
  bool takes_streams_ GUARDED_BY(mutex_) = true;
};

void Prepare(PendingCall& call, const google::protobuf::MessageLite& request, const CallOptions& options) {
  call.request = ToBuffer(request);
  if (!options.request_id.empty()) call.context.AddMetadata("x-request-id", options.request_id);
}

absl::Status Stopping() {
  return MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping; try again later");
}

class StreamCall final : public PendingCall,
                         public RpcStream,
                         public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                         public std::enable_shared_from_this<StreamCall> {
 public:
  StreamCall(std::shared_ptr<CallSet> calls, RpcClient::Executor executor, StreamEvents events)
      : calls_(std::move(calls)), executor_(std::move(executor)), events_(std::move(events)) {}

  void Start(grpc::GenericStub& stub, const std::string& rpc_path) {
    stub.PrepareBidiStreamingCall(&context, rpc_path, {}, this);
    AddHold();  // For Next, which is called from outside a reaction.
    StartWriteLast(&request, {});
    StartRead(&response);
    StartCall();
  }

  bool is_stream() const override { return true; }
  void Next() override { StartRead(&response); }
  void Cancel() override { context.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      RemoveHold();
      return;
    }
    executor_([self = shared_from_this(), bytes = ToBytes(response)]() mutable {
      self->events_.on_message(std::move(bytes));
    });
  }

  void OnDone(const grpc::Status& status) override {
    executor_([self = shared_from_this(), result = ToStatus(status)] {
      {
        const StreamEvents events = std::move(self->events_);  // They own what owns this stream.
        events.on_end(result);
      }
      self->calls_->Remove(self);
    });
  }

 private:
  const std::shared_ptr<CallSet> calls_;
  const RpcClient::Executor executor_;
  StreamEvents events_;
};

class GenericRpcClient final : public RpcClient {
 public:
  GenericRpcClient(std::shared_ptr<grpc::Channel> channel, Executor executor)
      : stub_(std::move(channel)), executor_(std::move(executor)) {}

  ~GenericRpcClient() override { Stop(); }

  void Call(const std::string& rpc_path, const google::protobuf::MessageLite& request, const CallOptions& options,
            std::function<void(absl::StatusOr<std::string>)> done) override {
    auto call = std::make_shared<PendingCall>();
    Prepare(*call, request, options);
    call->context.set_deadline(std::chrono::system_clock::now() + options.timeout);
    if (!calls_->Add(call)) {
      executor_([done = std::move(done)] { done(Stopping()); });
      return;
    }
    stub_.UnaryCall(&call->context, rpc_path, {}, &call->request, &call->response,
                    [call, calls = calls_, executor = executor_, done = std::move(done)](grpc::Status status) {
                      executor([call, calls, done, result = ToStatus(status)] {
                        if (result.ok()) {
                          done(ToBytes(call->response));
                        } else {
                          done(result);
                        }
                        calls->Remove(call);
                      });
                    });
  }

  std::shared_ptr<RpcStream> Stream(const std::string& rpc_path, const google::protobuf::MessageLite& request,
                                    const CallOptions& options, StreamEvents events) override {
    auto stream = std::make_shared<StreamCall>(calls_, executor_, std::move(events));
    Prepare(*stream, request, options);
    if (calls_->Add(stream)) {
      stream->Start(stub_, rpc_path);
    } else {
      stream->OnDone(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is stopping"));
    }
    return stream;
  }

  void CancelStreams() override { calls_->Cancel(/*streams_only=*/true); }

  void Stop() override {
    calls_->Cancel(/*streams_only=*/false);
    calls_->WaitEmpty();
  }

 private:
  grpc::GenericStub stub_;
  const Executor executor_;
  const std::shared_ptr<CallSet> calls_ = std::make_shared<CallSet>();
};

}  // namespace

std::unique_ptr<RpcClient> MakeRpcClient(std::shared_ptr<grpc::Channel> channel, RpcClient::Executor executor) {
  return std::make_unique<GenericRpcClient>(std::move(channel), std::move(executor));
}

}  // namespace benchwire::gateway
