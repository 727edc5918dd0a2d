#include "workers/agent/runner_report.h"

#include <utility>

#include "server/base/status.h"
#include "workers/agent/event_check.h"

namespace benchwire::agent {

RunnerReport::RunnerReport(const std::string& kind, FactMap environment, size_t log_head, size_t log_tail,
                           Outbox& outbox)
    : outbox_(outbox),
      log_(log_head, log_tail),
      parser_(kind, [this](v1::RunnerEvent event) { return OnEvent(std::move(event)); }),
      environment_(std::move(environment)) {}

absl::Status RunnerReport::SendPart() {
  ASSIGN_OR_RETURN(v1::ArtifactChunk chunk, artifacts_.Next());
  outbox_.Append(std::move(chunk));
  return absl::OkStatus();
}

bool RunnerReport::WantsEvents() {
  while (!artifacts_.empty() && artifact_error_.ok() && outbox_.HasRoom()) artifact_error_ = SendPart();
  return outbox_.HasRoom();
}

absl::Status RunnerReport::OnEvents(std::string_view bytes) {
  RETURN_IF_ERROR(artifact_error_);
  return parser_.Feed(bytes);
}

absl::Status RunnerReport::End(bool complete) {
  outbox_.AppendLog(log_.TakeTail());
  absl::Status status = artifact_error_;
  if (status.ok() && complete) status = parser_.End();
  while (!artifacts_.empty() && artifact_error_.ok()) artifact_error_ = SendPart();
  return status.ok() ? artifact_error_ : status;
}

std::vector<v1::RunnerMessage> RunnerReport::Warnings() const {
  std::vector<v1::RunnerMessage> out = warnings_;
  if (dropped_warnings_ > 0) {
    v1::RunnerMessage& more = out.emplace_back();
    more.set_code("WARNINGS_DROPPED");
    more.set_message(std::to_string(dropped_warnings_) + " more warnings were dropped");
  }
  return out;
}

absl::Status RunnerReport::OnEvent(v1::RunnerEvent event) {
  switch (event.event_case()) {
    case v1::RunnerEvent::kProgress:
      outbox_.SetProgress(event.progress());
      break;
    case v1::RunnerEvent::kPoint:
      outbox_.Append(std::move(*event.mutable_point()));
      break;
    case v1::RunnerEvent::kMeasurement:
      outbox_.Append(std::move(*event.mutable_measurement()));
      break;
    case v1::RunnerEvent::kResult:
      if (result_) return BadField("result", "", "at most one result");
      result_ = std::move(*event.mutable_result());
      break;
    case v1::RunnerEvent::kEnvironment:
      return Merge(event.environment());
    case v1::RunnerEvent::kArtifact:
      return artifacts_.Add(event.artifact());
    case v1::RunnerEvent::kWarning:
      if (warnings_.size() < kMaxWarnings) {
        warnings_.push_back(std::move(*event.mutable_warning()));
      } else {
        ++dropped_warnings_;
      }
      break;
    case v1::RunnerEvent::kError:
      // The first error is the cause; later ones tend to follow from it.
      if (!error_) error_ = std::move(*event.mutable_error());
      break;
    case v1::RunnerEvent::EVENT_NOT_SET:
      break;
  }
  return absl::OkStatus();
}

absl::Status RunnerReport::Merge(const v1::Environment& environment) {
  for (const auto& [key, value] : environment.values()) environment_[key] = value;
  if (environment_.size() <= kMaxEnvironment) return absl::OkStatus();
  return BadField("environment.values", std::to_string(environment_.size()) + " keys",
                  "at most 256 keys, the worker's own and those of earlier events included");
}

}  // namespace benchwire::agent
