#include "workers/command/event_reader.h"

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <optional>
#include <vector>

#include "workers/kit/spec_reader.h"

namespace benchwire::command {
namespace {

constexpr std::size_t kMaxEventLabels = 64;
constexpr std::size_t kMaxFacts = 256;
constexpr std::size_t kMaxMediaTypeBytes = 127;  // RFC 6838 §4.2.

void ReadProgress(kit::SpecReader& reader, std::optional<kit::Event>* out) {
  kit::Progress event;
  reader.Number("fraction", 0, 1, &event.fraction);
  reader.AnyText("message", kit::kMaxProgressMessageBytes, &event.message);
  std::chrono::nanoseconds remaining{-1};
  reader.Duration("remaining", std::chrono::nanoseconds(0), std::chrono::hours(24 * 365), &remaining);
  if (remaining.count() >= 0) event.remaining = std::chrono::duration_cast<std::chrono::milliseconds>(remaining);
  *out = event;
}

void ReadPoint(kit::SpecReader& reader, std::optional<kit::Event>* out) {
  kit::Point event;
  reader.Text("metric", 128, &event.metric);
  if (event.metric.empty()) reader.Refuse("metric", "absent", "the name of the metric");
  reader.Integer("step", 0, INT64_MAX, &event.step);
  reader.Number("value", -DBL_MAX, DBL_MAX, &event.value);
  reader.TextMap("labels", kMaxEventLabels, 256, &event.labels);
  *out = event;
}

kit::Direction ReadDirection(kit::SpecReader& reader) {
  int direction = -1;
  reader.Enum("direction", {{"DIRECTION_HIGHER", 0}, {"DIRECTION_LOWER", 1}, {"DIRECTION_NONE", 2}}, &direction);
  if (direction < 0) reader.Refuse("direction", "absent", "DIRECTION_HIGHER, DIRECTION_LOWER or DIRECTION_NONE");
  return static_cast<kit::Direction>(std::max(direction, 0));
}

kit::RowStatus ReadStatus(kit::SpecReader& reader) {
  static const std::vector<std::pair<std::string, int>> kNames = {
      {"MEASUREMENT_STATUS_OK", 0},    {"MEASUREMENT_STATUS_FAILED", 1},  {"MEASUREMENT_STATUS_WAIVED", 2},
      {"MEASUREMENT_STATUS_ERROR", 3}, {"MEASUREMENT_STATUS_TIMEOUT", 4}, {"MEASUREMENT_STATUS_INCONCLUSIVE", 5}};
  int status = -1;
  reader.Enum("status", kNames, &status);
  if (status < 0) reader.Refuse("status", "absent", "a status such as MEASUREMENT_STATUS_OK");
  return static_cast<kit::RowStatus>(std::max(status, 0));
}

void ReadInterval(kit::SpecReader& reader, statistics::Interval* interval) {
  reader.Number("low", -DBL_MAX, DBL_MAX, &interval->low);
  reader.Number("high", -DBL_MAX, DBL_MAX, &interval->high);
  reader.Number("confidence", 0, 1, &interval->confidence);
  reader.Text("method", 64, &interval->method);
}

void ReadMeasurement(kit::SpecReader& reader, std::optional<kit::Event>* out) {
  kit::Measurement row;
  reader.Text("metric", 128, &row.metric);
  reader.Text("case", 128, &row.case_id);
  reader.Text("unit", 32, &row.unit);
  row.direction = ReadDirection(reader);
  if (reader.Has("value")) {
    row.value = 0;
    reader.Number("value", -DBL_MAX, DBL_MAX, &*row.value);
  }
  reader.AnyText("estimator", 64, &row.estimator);
  statistics::Interval interval;
  if (reader.Object("interval", [&interval](kit::SpecReader& ends) { ReadInterval(ends, &interval); })) {
    row.interval = interval;
  }
  reader.Numbers("samples", kit::kMaxSamples, -DBL_MAX, DBL_MAX, &row.samples);
  reader.TextMap("labels", kMaxEventLabels, 256, &row.labels);
  row.status = ReadStatus(reader);
  reader.AnyText("reason_code", 64, &row.reason_code);
  reader.AnyText("reason", kit::kMaxMessageBytes, &row.reason);
  reader.Boolean("simulated", &row.simulated);
  *out = row;
}

void ReadArtifact(kit::SpecReader& reader, std::optional<kit::Event>* out) {
  kit::Artifact file;
  reader.Text("path", kit::kMaxPathBytes, &file.path);
  if (file.path.empty()) reader.Refuse("path", "absent", "the path of a file in the working directory");
  reader.Text("media_type", kMaxMediaTypeBytes, &file.media_type);
  *out = file;
}

template <typename Message>
void ReadMessage(kit::SpecReader& reader, std::optional<kit::Event>* out) {
  Message event;
  reader.Text("code", 64, &event.code);
  reader.AnyText("message", kit::kMaxMessageBytes, &event.message);
  *out = event;
}

}  // namespace

kit::Result<kit::Event> ReadEvent(const std::string& line) {
  kit::Result<kit::SpecReader> reader = kit::SpecReader::Parse(line, "event");
  if (!reader.ok()) return kit::Error{"BAD_EVENT", reader.error().message};
  std::optional<kit::Event> event;
  int kinds = 0;
  const auto read = [&](const char* kind, void (*fill)(kit::SpecReader&, std::optional<kit::Event>*)) {
    if (reader->Object(kind, [&](kit::SpecReader& fields) { fill(fields, &event); })) ++kinds;
  };
  read("progress", ReadProgress);
  read("point", ReadPoint);
  read("measurement", ReadMeasurement);
  read("artifact", ReadArtifact);
  read("warning", ReadMessage<kit::Warning>);
  read("error", ReadMessage<kit::Failure>);
  reader->Object("environment", [&](kit::SpecReader& fields) {
    kit::Environment facts;
    fields.TextMap("values", kMaxFacts, kit::kMaxMessageBytes, &facts.values);
    event = facts;
    ++kinds;
  });
  if (const kit::Status status = reader->Finish(); !status.ok()) return kit::Error{"BAD_EVENT", status.error().message};
  if (kinds == 1 && event) return std::move(*event);
  return kit::Error{"BAD_EVENT",
                    "event: " + std::to_string(kinds) +
                        " of progress, point, measurement, environment, artifact, warning and error; want one"};
}

}  // namespace benchwire::command
