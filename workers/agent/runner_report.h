// What a runner writes, on its way to the server: the log capped, events parsed and checked, rows into the outbox, and
// the facts that go into the completion kept. On the attempt's thread.
#ifndef BENCHWIRE_WORKERS_AGENT_RUNNER_REPORT_H_
#define BENCHWIRE_WORKERS_AGENT_RUNNER_REPORT_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchwire/v1/runner.pb.h"
#include "workers/agent/artifact_queue.h"
#include "workers/agent/capped_log.h"
#include "workers/agent/event_parser.h"
#include "workers/agent/outbox.h"
#include "workers/agent/supervise.h"

namespace benchwire::agent {

using FactMap = std::map<std::string, std::string>;

class RunnerReport final : public OutputSink {
 public:
  // Warnings kept of one attempt; the rest is counted in a last one.
  static constexpr size_t kMaxWarnings = 100;

  // `environment` holds the agent's own facts; the runner's win.
  RunnerReport(const std::string& kind, FactMap environment, size_t log_head, size_t log_tail, Outbox& outbox);

  void OnLog(std::string_view bytes) override { outbox_.AppendLog(log_.Add(bytes)); }
  // Also puts parts of artifacts into the outbox, which go before later events.
  bool WantsEvents() override;
  absl::Status OnEvents(std::string_view bytes) override;
  // Where the runner works and its artifacts are. Before its first event.
  void SetDirectory(const std::filesystem::path& directory) { artifacts_.SetDirectory(directory); }

  // After the runner's end: sends the rest of the log and of the artifacts, the latter all at once, so that the end
  // does not wait for a server that is away; their limit bounds them. `complete` says that the event stream is whole,
  // so that a last line without a line break counts.
  absl::Status End(bool complete);

  const std::optional<v1::RunnerResult>& result() const { return result_; }
  const std::optional<v1::RunnerMessage>& error() const { return error_; }
  const FactMap& environment() const { return environment_; }
  std::vector<v1::RunnerMessage> Warnings() const;
  bool log_truncated() const { return log_.truncated(); }

 private:
  absl::Status OnEvent(v1::RunnerEvent event);
  absl::Status Merge(const v1::Environment& environment);
  absl::Status SendPart();

  Outbox& outbox_;
  CappedLog log_;
  EventParser parser_;
  ArtifactQueue artifacts_{ArtifactLimits()};
  absl::Status artifact_error_;  // Of a part, told with the next events.
  std::optional<v1::RunnerResult> result_;
  std::optional<v1::RunnerMessage> error_;
  FactMap environment_;
  std::vector<v1::RunnerMessage> warnings_;
  size_t dropped_warnings_ = 0;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_RUNNER_REPORT_H_
