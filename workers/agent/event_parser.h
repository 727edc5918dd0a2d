// The event stream of a runner, from bytes to checked events. Pure; one thread at a time.
#ifndef BENCHWIRE_WORKERS_AGENT_EVENT_PARSER_H_
#define BENCHWIRE_WORKERS_AGENT_EVENT_PARSER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchwire/v1/runner.pb.h"

namespace benchwire::agent {

inline constexpr size_t kMaxEventLine = size_t{1} << 20;

// One line, without its line break. INVALID_ARGUMENT/BAD_FIELD names field, value and what is right.
absl::StatusOr<v1::RunnerEvent> ParseEvent(const std::string& line, const std::string& kind);

// Cuts a stream into lines and parses each. Holds at most one line, kMaxEventLine bytes.
class EventParser {
 public:
  // `kind` is the job's. `sink` gets each event; an error of its own counts like a bad line.
  EventParser(std::string kind, std::function<absl::Status(v1::RunnerEvent)> sink)
      : kind_(std::move(kind)), sink_(std::move(sink)) {}

  // The next bytes. The first bad line gives an error that starts with its number; nothing is to be fed after it.
  absl::Status Feed(std::string_view bytes);
  // At the end of the stream: a last line without a line break counts as a line.
  absl::Status End();

 private:
  absl::Status Line();
  absl::Status AtLine(const absl::Status& status) const;

  const std::string kind_;
  const std::function<absl::Status(v1::RunnerEvent)> sink_;
  std::string line_;
  int64_t number_ = 0;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_EVENT_PARSER_H_
