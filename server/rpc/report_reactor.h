// One Report stream: reads batches, hands them to core, writes acknowledgements, and pushes cancel and drain. At most
// kMaxPending batches are being stored at once; until one is acknowledged no more are read, so that a flood waits at
// its source.
#ifndef BENCHWIRE_SERVER_RPC_REPORT_REACTOR_H_
#define BENCHWIRE_SERVER_RPC_REPORT_REACTOR_H_

#include <benchwire/v1/agent_service.pb.h>
#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <set>
#include <string>

#include "server/base/mutex.h"
#include "server/core/attempts.h"
#include "server/core/worker_table.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

class ReportReactor;

// The open streams of a service, to end them when the server stops. Any thread.
class ReportStreams {
 public:
  // What callbacks and pushes hold: they may come after the reactor is gone.
  class Handle final : public core::ReportSink {
   public:
    explicit Handle(ReportReactor* reactor) : reactor_(reactor) {}
    void Push(const v1::ReportResponse& response) override;
    // A batch was stored, or not.
    void Stored(absl::StatusOr<v1::ReportResponse> response);
    void End(const absl::Status& status);
    void Detach();

   private:
    Mutex mutex_;
    ReportReactor* reactor_ GUARDED_BY(mutex_);
  };

  void Add(const std::shared_ptr<Handle>& handle);
  void Remove(const std::shared_ptr<Handle>& handle);
  void Stop();

 private:
  Mutex mutex_;
  std::set<std::shared_ptr<Handle>> open_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
};

// Deletes itself when gRPC is done with it.
class ReportReactor final : public grpc::ServerBidiReactor<v1::ReportRequest, v1::ReportResponse> {
 public:
  ReportReactor(CallEnvironment& environment, grpc::CallbackServerContext& context, core::Attempts& attempts,
                core::WorkerTable& workers, ReportStreams& streams);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { End(absl::CancelledError("the worker went away")); }
  void OnDone() override;

 private:
  friend class ReportStreams::Handle;
  static constexpr int kMaxPending = 8;
  // Pushes that wait to be written; more are dropped, since RenewLease repeats them.
  static constexpr size_t kMaxQueued = 64;

  void Push(const v1::ReportResponse& response);
  void Stored(absl::StatusOr<v1::ReportResponse> response);
  void End(const absl::Status& status);
  void Enqueue(const v1::ReportResponse& response) REQUIRES(mutex_);
  void EndLocked(const absl::Status& status) REQUIRES(mutex_);

  Call call_;
  core::Attempts& attempts_;
  core::WorkerTable& workers_;
  ReportStreams& streams_;
  const std::shared_ptr<ReportStreams::Handle> handle_;
  std::shared_ptr<v1::ReportRequest> reading_;
  std::string session_;  // Of the first message; its worker gets the pushes.

  Mutex mutex_;
  int pending_ GUARDED_BY(mutex_) = 0;
  bool read_waits_ GUARDED_BY(mutex_) = false;  // The next read starts when a batch is stored.
  bool client_done_ GUARDED_BY(mutex_) = false;
  bool writing_ GUARDED_BY(mutex_) = false;
  bool finished_ GUARDED_BY(mutex_) = false;
  std::deque<v1::ReportResponse> to_write_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_REPORT_REACTOR_H_
