// Carries an attempt's outbox to the server over the Report stream, and the server's wishes back. Opens the stream
// again after every failure, with full jitter, and then sends again what was not acknowledged. Each stream starts with
// a message of sequence 0, so that the server knows whom to tell of a cancellation before there is anything to report.
//
// Two threads: a writer, which owns the stream, and a reader for as long as one stream lives. The callbacks come from
// them.
#ifndef BENCHWIRE_WORKERS_AGENT_REPORT_STREAM_H_
#define BENCHWIRE_WORKERS_AGENT_REPORT_STREAM_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "benchwire/v1/agent_service.pb.h"
#include "server/base/mutex.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"
#include "workers/agent/outbox.h"
#include "workers/agent/session.h"
#include "workers/agent/stop_signal.h"

namespace benchwire::agent {

class ReportStream {
 public:
  struct Callbacks {
    std::function<void()> on_cancel;
    // The lease is not this worker's any more; the stream has ended.
    std::function<void()> on_lost;
  };

  // Starts at once. The references must outlive the stream.
  ReportStream(const AgentOptions& options, AgentApi& api, Session& session, RandomSource& random, v1::Fence fence,
               Outbox& outbox, Callbacks callbacks);
  ReportStream(const ReportStream&) = delete;
  ReportStream& operator=(const ReportStream&) = delete;
  // Ends the stream, whatever is still unsent.
  ~ReportStream();

 private:
  using Stream = grpc::ClientReaderWriter<v1::ReportRequest, v1::ReportResponse>;

  void Run();
  // One stream from its opening to its end. Sets `progress` where the server answered anything.
  grpc::Status RunOnce(const std::string& session, bool* progress);
  void Write(Stream& stream, const std::string& session);
  void Read(Stream& stream, bool* progress);
  void OnResponse(const v1::ReportResponse& response);

  const AgentOptions& options_;
  AgentApi& api_;
  Session& session_;
  RandomSource& random_;
  const v1::Fence fence_;
  Outbox& outbox_;
  const Callbacks callbacks_;

  StopSignal stop_;
  Mutex mutex_;
  // The stream that runs now.
  grpc::ClientContext* context_ GUARDED_BY(mutex_) = nullptr;
  // The reader of the stream that runs now has ended.
  bool reader_done_ GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_REPORT_STREAM_H_
