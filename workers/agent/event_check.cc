#include "workers/agent/event_check.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cmath>
#include <vector>

#include "server/base/status.h"
#include "workers/agent/safe_text.h"

namespace benchwire::agent {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

absl::Status CheckNumber(const std::string& field, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return BadField(field, std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", "a finite number");
}

// Text for people may have line breaks and tabs; nothing may have other control characters, U+0000 least of all.
absl::Status CheckText(const std::string& field, const std::string& text, size_t max, bool one_line) {
  for (unsigned char c : text) {
    if (c >= 0x20 && c != 0x7f) continue;
    if (!one_line && (c == '\n' || c == '\t' || c == '\r')) continue;
    return BadField(field, SafeText(text, 100),
                    one_line ? "no control characters" : "no control characters but tab and line break");
  }
  if (text.size() > max) {
    return BadField(field, SafeText(text, 100),
                    "at most " + std::to_string(max) + " bytes, not " + std::to_string(text.size()));
  }
  return absl::OkStatus();
}

// Every number finite, every text clean and bounded, in every field of the message and below.
absl::Status CheckValues(const std::string& path, const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string name = path.empty() ? field->name() : path + "." + field->name();
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        RETURN_IF_ERROR(CheckNumber(name, field->is_repeated() ? reflection.GetRepeatedDouble(message, field, i)
                                                               : reflection.GetDouble(message, field)));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        RETURN_IF_ERROR(CheckText(name,
                                  field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                       : reflection.GetString(message, field),
                                  kMaxText, false));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        RETURN_IF_ERROR(CheckValues(name, field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                               : reflection.GetMessage(message, field)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMetric(const std::string& field, const std::string& metric) {
  if (metric.empty()) return BadField(field, metric, "the name of a metric, 1 to 128 bytes");
  return CheckText(field, metric, 128, true);
}

bool AllOf(const std::string& text, bool (*allowed)(char)) {
  for (char c : text) {
    if (!allowed(c)) return false;
  }
  return true;
}

absl::Status CheckCode(const std::string& field, const std::string& code) {
  const bool good = AllOf(code, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
  if (code.empty() || code.size() > 64 || !good) {
    return BadField(field, SafeText(code, 100), "an UPPER_SNAKE_CASE code of 1 to 64 bytes");
  }
  return absl::OkStatus();
}

template <typename Map>
absl::Status CheckLabels(const std::string& field, const Map& labels) {
  if (labels.size() > kMaxLabels)
    return BadField(field, std::to_string(labels.size()) + " labels", "at most 64 labels");
  for (const auto& [key, value] : labels) {
    const bool good = AllOf(key, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    });
    if (key.empty() || key.size() > 63 || !good)
      return BadField(field, SafeText(key, 100), "keys of [a-z0-9_.-]{1,63}");
    RETURN_IF_ERROR(CheckText(field + "." + key, value, 256, true));
  }
  return absl::OkStatus();
}

absl::Status Check(const v1::Progress& progress) {
  if (!(progress.fraction() >= 0 && progress.fraction() <= 1)) {
    return BadField("progress.fraction", std::to_string(progress.fraction()), "a number from 0 to 1");
  }
  if (progress.remaining().seconds() < 0 || progress.remaining().nanos() < 0) {
    return BadField("progress.remaining", std::to_string(progress.remaining().seconds()) + "s",
                    "a duration of 0s or more");
  }
  return CheckText("progress.message", progress.message(), 1024, true);
}

absl::Status Check(const v1::Point& point) {
  RETURN_IF_ERROR(CheckMetric("point.metric", point.metric()));
  if (point.step() < 0) return BadField("point.step", std::to_string(point.step()), "a step of 0 or more");
  return CheckLabels("point.labels", point.labels());
}

absl::Status CheckInterval(const v1::Interval& interval) {
  if (interval.low() > interval.high()) {
    return BadField("measurement.interval.low", std::to_string(interval.low()), "an end not above interval.high");
  }
  if (!(interval.confidence() > 0 && interval.confidence() < 1)) {
    return BadField("measurement.interval.confidence", std::to_string(interval.confidence()),
                    "a number between 0 and 1");
  }
  if (interval.method().empty()) return BadField("measurement.interval.method", "", "the name of the method");
  return CheckText("measurement.interval.method", interval.method(), 64, true);
}

absl::Status CheckEnums(const v1::Measurement& row) {
  if (row.direction() == v1::DIRECTION_UNSPECIFIED || !v1::Direction_IsValid(row.direction())) {
    return BadField("measurement.direction", std::to_string(row.direction()),
                    "DIRECTION_HIGHER, DIRECTION_LOWER or DIRECTION_NONE");
  }
  if (row.status() == v1::MEASUREMENT_STATUS_UNSPECIFIED || !v1::MeasurementStatus_IsValid(row.status())) {
    return BadField("measurement.status", std::to_string(row.status()), "a MEASUREMENT_STATUS other than UNSPECIFIED");
  }
  return absl::OkStatus();
}

absl::Status Check(const v1::Measurement& row) {
  if (!row.name().empty())
    return BadField("measurement.name", SafeText(row.name(), 100), "no name: the server gives it");
  RETURN_IF_ERROR(CheckMetric("measurement.metric", row.metric()));
  RETURN_IF_ERROR(CheckText("measurement.case", row.case_(), 128, true));
  RETURN_IF_ERROR(CheckText("measurement.unit", row.unit(), 32, true));
  RETURN_IF_ERROR(CheckText("measurement.estimator", row.estimator(), 64, true));
  RETURN_IF_ERROR(CheckEnums(row));
  if (row.samples_size() > kMaxSamples) {
    return BadField("measurement.samples", std::to_string(row.samples_size()) + " samples", "at most 100000 samples");
  }
  if (row.has_interval()) RETURN_IF_ERROR(CheckInterval(row.interval()));
  RETURN_IF_ERROR(CheckLabels("measurement.labels", row.labels()));
  const bool ok = row.status() == v1::MEASUREMENT_STATUS_OK;
  if (ok && !row.has_value()) return BadField("measurement.value", "", "a value, as status is MEASUREMENT_STATUS_OK");
  if (row.has_value() && row.unit().empty())
    return BadField("measurement.unit", "", "the unit of the value, `1` for none");
  if (!ok || !row.reason_code().empty()) RETURN_IF_ERROR(CheckCode("measurement.reason_code", row.reason_code()));
  return absl::OkStatus();
}

absl::Status Check(const v1::RunnerResult& result, const std::string& kind) {
  const auto* oneof = v1::RunnerResult::descriptor()->FindOneofByName("result");
  const FieldDescriptor* field = result.GetReflection()->GetOneofFieldDescriptor(result, oneof);
  if (field == nullptr) return BadField("result", "", "the result of a " + kind + " job");
  if (field->name() != kind) return BadField("result", field->name(), "the result of a " + kind + " job");
  return absl::OkStatus();
}

absl::Status Check(const v1::Environment& environment) {
  if (environment.values().size() > kMaxEnvironment) {
    return BadField("environment.values", std::to_string(environment.values().size()) + " keys", "at most 256 keys");
  }
  for (const auto& [key, value] : environment.values()) {
    const bool good = AllOf(key, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (key.empty() || key.size() > 128 || !good) {
      return BadField("environment.values", SafeText(key, 100), "lower_snake_case keys of 1 to 128 bytes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckEvent(const v1::RunnerEvent& event, const std::string& kind) {
  RETURN_IF_ERROR(CheckValues("", event));
  switch (event.event_case()) {
    case v1::RunnerEvent::kProgress:
      return Check(event.progress());
    case v1::RunnerEvent::kPoint:
      return Check(event.point());
    case v1::RunnerEvent::kMeasurement:
      return Check(event.measurement());
    case v1::RunnerEvent::kResult:
      return Check(event.result(), kind);
    case v1::RunnerEvent::kEnvironment:
      return Check(event.environment());
    case v1::RunnerEvent::kWarning:
      return CheckCode("warning.code", event.warning().code());
    case v1::RunnerEvent::kError:
      return CheckCode("error.code", event.error().code());
    case v1::RunnerEvent::kArtifact:
      return absl::OkStatus();  // Checked where the file is opened.
    case v1::RunnerEvent::EVENT_NOT_SET:
      break;
  }
  return BadField("event", "", "progress, point, measurement, result, environment, artifact, warning or error");
}

}  // namespace benchwire::agent
