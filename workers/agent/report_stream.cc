#include "workers/agent/report_stream.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "clients/cpp/channel.h"
#include "server/base/log.h"
#include "server/base/status.h"
#include "workers/agent/timing.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

// How often a writer with nothing to send looks whether its stream still lives, where nobody wakes it.
constexpr milliseconds kIdle{1000};

}  // namespace

ReportStream::ReportStream(const AgentOptions& options, AgentApi& api, Session& session, RandomSource& random,
                           v1::Fence fence, Outbox& outbox, Callbacks callbacks)
    : options_(options),
      api_(api),
      session_(session),
      random_(random),
      fence_(std::move(fence)),
      outbox_(outbox),
      callbacks_(std::move(callbacks)),
      writer_([this] { Run(); }) {}

ReportStream::~ReportStream() {
  stop_.Set();
  {
    MutexLock lock(mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  outbox_.Interrupt();
  writer_.join();
}

void ReportStream::Run() {
  int failures = 0;
  while (!stop_.IsSet()) {
    const std::string session = session_.Wait(milliseconds(200));
    if (session.empty()) continue;
    bool progress = false;
    const absl::Status status = client::ToStatus(RunOnce(session, &progress));
    if (stop_.IsSet()) return;
    const std::string reason = ErrorReason(status);
    if (reason == "STALE_LEASE") {
      spdlog::warn("lease lost attempt={} where=Report", fence_.attempt());
      callbacks_.on_lost();
      return;
    }
    if (reason == "STALE_SESSION") session_.MarkStale(session);
    if (progress) failures = 0;
    const milliseconds delay = FullJitter(failures++, options_.backoff_base, options_.backoff_cap, random_);
    spdlog::warn("report stream ended attempt={} code={} retry_ms={} message=\"{}\"", fence_.attempt(),
                 absl::StatusCodeToString(status.code()), delay.count(), LogSafe(std::string(status.message())));
    stop_.WaitFor(delay);
  }
}

grpc::Status ReportStream::RunOnce(const std::string& session, bool* progress) {
  grpc::ClientContext context;
  {
    MutexLock lock(mutex_);
    context_ = &context;
    reader_done_ = false;
    // Stop may have come before there was a context to cancel.
    if (stop_.IsSet()) context.TryCancel();
  }
  outbox_.Restart();
  const std::unique_ptr<Stream> stream = api_.stub().Report(&context);
  std::thread reader([&] { Read(*stream, progress); });
  Write(*stream, session);
  // The writer ends when the attempt is done with the stream, or else the stream with the writer: then its status is
  // still to come, and cancelling would hide it.
  if (stop_.IsSet()) context.TryCancel();
  reader.join();
  const grpc::Status status = stream->Finish();
  MutexLock lock(mutex_);
  context_ = nullptr;
  return status;
}

void ReportStream::Write(Stream& stream, const std::string& session) {
  v1::ReportRequest hello;
  hello.set_session(session);
  *hello.mutable_fence() = fence_;
  if (!stream.Write(hello)) return;
  while (!stop_.IsSet()) {
    auto message = outbox_.NextMessage(kIdle);
    if (message) {
      message->set_session(session);
      *message->mutable_fence() = fence_;
      if (!stream.Write(*message)) return;
    }
    MutexLock lock(mutex_);
    if (reader_done_) return;
  }
}

void ReportStream::Read(Stream& stream, bool* progress) {
  v1::ReportResponse response;
  while (stream.Read(&response)) {
    *progress = true;
    OnResponse(response);
  }
  {
    MutexLock lock(mutex_);
    reader_done_ = true;
  }
  outbox_.Interrupt();
}

void ReportStream::OnResponse(const v1::ReportResponse& response) {
  if (!response.attempt().empty() && response.attempt() != fence_.attempt()) {
    spdlog::warn("report answer about another attempt attempt={} other={}", fence_.attempt(),
                 LogSafe(response.attempt()));
    return;
  }
  outbox_.OnResponse(response.acknowledged_sequence(), response.next_sequence());
  if (response.drain()) session_.SetDraining(true);
  if (response.cancel()) callbacks_.on_cancel();
}

}  // namespace benchwire::agent
