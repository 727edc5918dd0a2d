#include "workers/agent/event_parser.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "server/base/status.h"
#include "workers/agent/event_check.h"
#include "workers/agent/json_check.h"
#include "workers/agent/safe_text.h"

namespace benchwire::agent {

absl::StatusOr<v1::RunnerEvent> ParseEvent(const std::string& line, const std::string& kind) {
  RETURN_IF_ERROR(CheckEventJson(line));
  v1::RunnerEvent event;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = false;
  if (const auto status = google::protobuf::util::JsonStringToMessage(line, &event, options); !status.ok()) {
    return BadField("event", SafeText(line, 100),
                    "the JSON of a RunnerEvent (" + SafeText(status.message().ToString(), 300) + ")");
  }
  RETURN_IF_ERROR(CheckEvent(event, kind));
  return event;
}

absl::Status EventParser::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > kMaxEventLine) {
      ++number_;
      return AtLine(BadField("event", SafeText(line_, 100), "a line of at most 1 MiB"));
    }
    line_.append(part);
    if (end == std::string_view::npos) return absl::OkStatus();
    bytes.remove_prefix(end + 1);
    RETURN_IF_ERROR(Line());
  }
  return absl::OkStatus();
}

absl::Status EventParser::End() { return line_.empty() ? absl::OkStatus() : Line(); }

absl::Status EventParser::Line() {
  ++number_;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  auto event = ParseEvent(line_, kind_);
  line_.clear();
  if (!event.ok()) return AtLine(event.status());
  const absl::Status status = sink_(*std::move(event));
  return status.ok() ? status : AtLine(status);
}

absl::Status EventParser::AtLine(const absl::Status& status) const {
  return MakeError(absl::StatusCode::kInvalidArgument, "BAD_EVENT",
                   "event line " + std::to_string(number_) + ": " + std::string(status.message()));
}

}  // namespace benchwire::agent
