// A server stream that pulls: it asks its source for the next messages, writes them one at a time, and asks again when
// the last is written. A slow reader therefore holds nothing but its place. It finishes exactly once, also when it is
// cancelled.
#ifndef BENCHWIRE_SERVER_RPC_WATCH_REACTOR_H_
#define BENCHWIRE_SERVER_RPC_WATCH_REACTOR_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/mutex.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

// Gives the messages of one stream, batch by batch. Used by one reactor.
template <typename Message>
class WatchSource {
 public:
  // An empty batch ends the stream.
  using Callback = std::function<void(absl::StatusOr<std::vector<Message>>)>;
  virtual ~WatchSource() = default;
  // Calls back once, on any thread, possibly before this returns. Not called again before that.
  virtual void Next(Callback callback) = 0;
  // The stream is over: a callback that is due need not come. Any thread.
  virtual void Cancel() = 0;
};

// Deletes itself when gRPC is done with it.
template <typename Message>
class WatchReactor final : public grpc::ServerWriteReactor<Message> {
 public:
  // Where `source` holds an error the stream ends with it.
  WatchReactor(CallEnvironment& environment, grpc::CallbackServerContext& context, const char* method,
               const std::function<absl::StatusOr<std::unique_ptr<WatchSource<Message>>>()>& open)
      : call_(environment, context, method), handle_(std::make_shared<Handle>(this)) {
    absl::Status status = call_.Admit();
    if (status.ok()) {
      auto source = open();
      status = source.status();
      if (source.ok()) source_ = *std::move(source);
    }
    if (status.ok()) {
      // The client learns at once that the watch stands, also where no event comes for hours.
      this->StartSendInitialMetadata();
      Ask();
    } else {
      End(status);
    }
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return End(absl::CancelledError("the client is gone"));
    if (++next_ < batch_.size()) {
      Write();
    } else {
      Ask();
    }
  }
  void OnCancel() override {
    if (source_) source_->Cancel();
    End(absl::CancelledError("cancelled by the client"));
  }
  void OnDone() override {
    {
      MutexLock lock(handle_->mutex);
      handle_->reactor = nullptr;
    }
    delete this;
  }

 private:
  // What callbacks hold: they may come after the reactor is gone.
  struct Handle {
    explicit Handle(WatchReactor* owner) : reactor(owner) {}
    Mutex mutex;
    WatchReactor* reactor GUARDED_BY(mutex);
  };

  void Ask() {
    source_->Next([handle = handle_](absl::StatusOr<std::vector<Message>> batch) {
      MutexLock lock(handle->mutex);
      if (handle->reactor != nullptr) handle->reactor->Receive(std::move(batch));
    });
  }
  void Receive(absl::StatusOr<std::vector<Message>> batch) {
    if (!batch.ok()) return End(batch.status());
    if (batch->empty()) return End(absl::OkStatus());
    batch_ = *std::move(batch);
    next_ = 0;
    Write();
  }
  void Write() {
    MutexLock lock(finish_mutex_);
    if (!finished_) this->StartWrite(&batch_[next_]);
  }
  void End(const absl::Status& status) {
    MutexLock lock(finish_mutex_);
    if (std::exchange(finished_, true)) return;
    this->Finish(call_.End(status));
  }

  Call call_;
  std::shared_ptr<Handle> handle_;
  std::unique_ptr<WatchSource<Message>> source_;
  std::vector<Message> batch_;
  size_t next_ = 0;
  Mutex finish_mutex_;
  bool finished_ GUARDED_BY(finish_mutex_) = false;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_WATCH_REACTOR_H_
