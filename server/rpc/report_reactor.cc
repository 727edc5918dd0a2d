#include "server/rpc/report_reactor.h"

#include <utility>

#include "server/base/status.h"

namespace benchwire::rpc {

void ReportStreams::Handle::Push(const v1::ReportResponse& response) {
  MutexLock lock(mutex_);
  if (reactor_ != nullptr) reactor_->Push(response);
}

void ReportStreams::Handle::Stored(absl::StatusOr<v1::ReportResponse> response) {
  MutexLock lock(mutex_);
  if (reactor_ != nullptr) reactor_->Stored(std::move(response));
}

void ReportStreams::Handle::End(const absl::Status& status) {
  MutexLock lock(mutex_);
  if (reactor_ != nullptr) reactor_->End(status);
}

void ReportStreams::Handle::Detach() {
  MutexLock lock(mutex_);
  reactor_ = nullptr;
}

void ReportStreams::Add(const std::shared_ptr<Handle>& handle) {
  bool stopping = false;
  {
    MutexLock lock(mutex_);
    open_.insert(handle);
    stopping = stopping_;
  }
  if (stopping) handle->End(MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping"));
}

void ReportStreams::Remove(const std::shared_ptr<Handle>& handle) {
  MutexLock lock(mutex_);
  open_.erase(handle);
}

void ReportStreams::Stop() {
  std::set<std::shared_ptr<Handle>> open;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    open = open_;
  }
  for (const auto& handle : open) {
    handle->End(MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping"));
  }
}

ReportReactor::ReportReactor(CallEnvironment& environment, grpc::CallbackServerContext& context,
                             core::Attempts& attempts, core::WorkerTable& workers, ReportStreams& streams)
    : call_(environment, context, "/benchwire.v1.AgentService/Report"),
      attempts_(attempts),
      workers_(workers),
      streams_(streams),
      handle_(std::make_shared<ReportStreams::Handle>(this)),
      reading_(std::make_shared<v1::ReportRequest>()) {
  const absl::Status admitted = call_.Admit();
  if (!admitted.ok()) {
    End(admitted);
    return;
  }
  streams_.Add(handle_);
  StartRead(reading_.get());
}

void ReportReactor::OnReadDone(bool ok) {
  if (!ok) {
    MutexLock lock(mutex_);
    client_done_ = true;
    if (pending_ == 0 && !writing_) EndLocked(absl::OkStatus());
    return;
  }
  auto request = std::exchange(reading_, std::make_shared<v1::ReportRequest>());
  auto worker = workers_.Heard(request->session());
  if (!worker.ok()) return End(worker.status());
  if (session_ != request->session()) {
    session_ = request->session();
    workers_.AddSink(*worker, handle_);
  }
  {
    MutexLock lock(mutex_);
    ++pending_;
  }
  attempts_.Report(request, [handle = handle_](absl::StatusOr<v1::ReportResponse> response) {
    handle->Stored(std::move(response));
  });
  MutexLock lock(mutex_);
  if (finished_) return;
  if (pending_ < kMaxPending) {
    StartRead(reading_.get());
  } else {
    read_waits_ = true;
  }
}

void ReportReactor::Stored(absl::StatusOr<v1::ReportResponse> response) {
  MutexLock lock(mutex_);
  --pending_;
  if (finished_) return;
  if (!response.ok()) return EndLocked(response.status());
  // Progress alone is not acknowledged, unless there is something to say.
  if (response->acknowledged_sequence() > 0 || response->next_sequence() > 0 || response->cancel() ||
      response->drain()) {
    Enqueue(*response);
  }
  if (std::exchange(read_waits_, false)) StartRead(reading_.get());
  if (client_done_ && pending_ == 0 && !writing_) EndLocked(absl::OkStatus());
}

void ReportReactor::Push(const v1::ReportResponse& response) {
  MutexLock lock(mutex_);
  if (!finished_ && to_write_.size() < kMaxQueued) Enqueue(response);
}

void ReportReactor::Enqueue(const v1::ReportResponse& response) {
  to_write_.push_back(response);
  if (!std::exchange(writing_, true)) StartWrite(&to_write_.front());
}

void ReportReactor::OnWriteDone(bool ok) {
  MutexLock lock(mutex_);
  if (finished_) return;
  if (!ok) return EndLocked(absl::CancelledError("the worker went away"));
  to_write_.pop_front();
  writing_ = !to_write_.empty();
  if (writing_) {
    StartWrite(&to_write_.front());
  } else if (client_done_ && pending_ == 0) {
    EndLocked(absl::OkStatus());
  }
}

void ReportReactor::End(const absl::Status& status) {
  MutexLock lock(mutex_);
  EndLocked(status);
}

void ReportReactor::EndLocked(const absl::Status& status) {
  if (std::exchange(finished_, true)) return;
  Finish(call_.End(status));
}

void ReportReactor::OnDone() {
  handle_->Detach();
  streams_.Remove(handle_);
  delete this;
}

}  // namespace benchwire::rpc
