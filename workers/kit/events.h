// What a runner reports, as plain values, and their form on the wire: one line of protobuf JSON of
// benchwire.v1.RunnerEvent (proto/benchwire/v1/runner.proto) with that file's field names. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_KIT_EVENTS_H_
#define BENCHWIRE_WORKERS_KIT_EVENTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "workers/kit/result.h"
#include "workers/kit/statistics.h"

namespace benchwire::kit {

inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;  // With the newline.
inline constexpr std::size_t kMaxProgressMessageBytes = 1024;
inline constexpr std::size_t kMaxMessageBytes = 4096;
inline constexpr std::size_t kMaxPathBytes = 512;
inline constexpr std::size_t kMaxSamples = 100'000;

using Labels = std::map<std::string, std::string>;

enum class Direction { kHigher, kLower, kNone };
enum class RowStatus { kOk, kFailed, kWaived, kError, kTimeout, kInconclusive };

// `OK`, `FAILED`, …: the enum name of measurement.proto without its prefix.
std::string StatusName(RowStatus status);

struct Progress {
  double fraction = 0;  // 0 to 1.
  std::string message;
  std::optional<std::chrono::milliseconds> remaining;
};

struct Point {
  std::string metric;
  std::int64_t step = 0;
  double value = 0;
  Labels labels;
};

struct Measurement {
  std::string metric;
  std::string case_id;
  std::string unit;
  Direction direction = Direction::kNone;
  std::optional<double> value;
  std::string estimator;
  std::optional<statistics::Interval> interval;
  std::vector<double> samples;
  Labels labels;
  RowStatus status = RowStatus::kOk;
  std::string reason_code;
  std::string reason;
  bool simulated = false;
};

// The typed result of a kind: `json` is the protobuf JSON of the message in RunnerResult's field `kind`.
struct TypedResult {
  std::string kind;
  std::string json;
};

struct Environment {
  std::map<std::string, std::string> values;
};

struct Warning {
  std::string code;
  std::string message;
};

// A file to be kept with the attempt; it must not change any more.
struct Artifact {
  std::string path;        // Below the working directory, at most kMaxPathBytes.
  std::string media_type;  // Such as `text/csv`. Empty: `application/octet-stream`.
};

// Why the run will end without a complete result.
struct Failure {
  std::string code;
  std::string message;
};

using Event = std::variant<Progress, Point, Measurement, TypedResult, Environment, Warning, Artifact, Failure>;

// The line of an event, without its newline. Control characters in text become spaces, bytes that are not UTF-8 the
// replacement mark, and messages are cut to their limits. BAD_EVENT where a number is not finite, a name is empty or
// too long, or there are too many samples; LINE_TOO_LONG above kMaxLineBytes.
Result<std::string> EventLine(const Event& event);

// Receives events in order. One thread at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual Status Write(const Event& event) = 0;
};

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_EVENTS_H_
