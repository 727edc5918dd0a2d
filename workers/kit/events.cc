#include "workers/kit/events.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "workers/kit/text.h"

namespace benchwire::kit {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxNameBytes = 128;

OrderedJson LabelsJson(const Labels& labels) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : labels)
    json[CleanText(key, kMaxNameBytes, ' ')] = CleanText(value, kMaxMessageBytes, ' ');
  return json;
}

std::string DurationText(std::chrono::milliseconds duration) {
  const auto ms = std::max<std::int64_t>(0, duration.count());
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03llds", static_cast<long long>(ms / 1000),
                static_cast<long long>(ms % 1000));
  return text;
}

const char* DirectionName(Direction direction) {
  switch (direction) {
    case Direction::kHigher:
      return "DIRECTION_HIGHER";
    case Direction::kLower:
      return "DIRECTION_LOWER";
    case Direction::kNone:
      return "DIRECTION_NONE";
  }
  return "DIRECTION_UNSPECIFIED";
}

Error BadEvent(const std::string& what) { return Error{"BAD_EVENT", what}; }

Status CheckName(const std::string& field, const std::string& name) {
  if (!name.empty() && name.size() <= kMaxNameBytes) return Status();
  return BadEvent(field + ": \"" + name.substr(0, 40) + "\" has " + std::to_string(name.size()) +
                  " bytes; want 1 to 128");
}

Status CheckFinite(const std::string& field, double value) {
  if (std::isfinite(value)) return Status();
  return BadEvent(field + ": not a finite number; leave it out and give a reason");
}

Result<OrderedJson> ToJson(const Progress& progress) {
  if (!(progress.fraction >= 0 && progress.fraction <= 1)) return BadEvent("progress.fraction: want 0 to 1");
  OrderedJson json = {{"fraction", progress.fraction},
                      {"message", CleanText(progress.message, kMaxProgressMessageBytes, ' ')}};
  if (progress.remaining) json["remaining"] = DurationText(*progress.remaining);
  return OrderedJson{{"progress", json}};
}

Result<OrderedJson> ToJson(const Point& point) {
  if (Status status = CheckName("point.metric", point.metric); !status.ok()) return status.error();
  if (Status status = CheckFinite("point.value", point.value); !status.ok()) return status.error();
  if (point.step < 0) return BadEvent("point.step: " + std::to_string(point.step) + "; want 0 or more");
  return OrderedJson{{"point",
                      {{"metric", CleanText(point.metric, kMaxNameBytes, ' ')},
                       {"step", std::to_string(point.step)},
                       {"value", point.value},
                       {"labels", LabelsJson(point.labels)}}}};
}

Status Check(const Measurement& row) {
  if (Status status = CheckName("measurement.metric", row.metric); !status.ok()) return status;
  if (Status status = CheckName("measurement.case", row.case_id); !status.ok()) return status;
  if (row.samples.size() > kMaxSamples) {
    return BadEvent("measurement.samples: " + std::to_string(row.samples.size()) + " values; want at most 100000");
  }
  for (double sample : row.samples) {
    if (Status status = CheckFinite("measurement.samples", sample); !status.ok()) return status;
  }
  if (row.value) {
    if (Status status = CheckFinite("measurement.value", *row.value); !status.ok()) return status;
  } else if (row.status == RowStatus::kOk) {
    return BadEvent("measurement.value: absent in a row that is OK");
  }
  if (row.status != RowStatus::kOk && row.reason_code.empty()) {
    return BadEvent("measurement.reason_code: empty in a row that is " + StatusName(row.status));
  }
  if (row.interval) {
    for (double end : {row.interval->low, row.interval->high, row.interval->confidence}) {
      if (Status status = CheckFinite("measurement.interval", end); !status.ok()) return status;
    }
  }
  return Status();
}

Result<OrderedJson> ToJson(const Measurement& row) {
  if (Status status = Check(row); !status.ok()) return status.error();
  OrderedJson json = {{"metric", CleanText(row.metric, kMaxNameBytes, ' ')},
                      {"case", CleanText(row.case_id, kMaxNameBytes, ' ')},
                      {"unit", row.unit},
                      {"direction", DirectionName(row.direction)}};
  if (row.value) json["value"] = *row.value;
  if (!row.estimator.empty()) json["estimator"] = row.estimator;
  if (row.interval) {
    json["interval"] = {{"low", row.interval->low},
                        {"high", row.interval->high},
                        {"confidence", row.interval->confidence},
                        {"method", row.interval->method}};
  }
  if (!row.samples.empty()) json["samples"] = row.samples;
  json["labels"] = LabelsJson(row.labels);
  json["status"] = "MEASUREMENT_STATUS_" + StatusName(row.status);
  if (!row.reason_code.empty()) json["reason_code"] = row.reason_code;
  if (!row.reason.empty()) json["reason"] = CleanText(row.reason, kMaxMessageBytes, ' ');
  if (row.simulated) json["simulated"] = true;
  return OrderedJson{{"measurement", json}};
}

Result<OrderedJson> ToJson(const TypedResult& result) {
  OrderedJson json = OrderedJson::parse(result.json, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return BadEvent("result." + result.kind + ": not a JSON object");
  return OrderedJson{{"result", {{result.kind, json}}}};
}

Result<OrderedJson> ToJson(const Environment& environment) {
  OrderedJson values = OrderedJson::object();
  for (const auto& [key, value] : environment.values) {
    if (Status status = CheckName("environment key", key); !status.ok()) return status.error();
    values[key] = CleanText(value, kMaxMessageBytes, ' ');
  }
  return OrderedJson{{"environment", {{"values", values}}}};
}

OrderedJson MessageJson(const std::string& code, const std::string& message) {
  return {{"code", code}, {"message", CleanText(message, kMaxMessageBytes, ' ')}};
}

Result<OrderedJson> ToJson(const Warning& warning) {
  return OrderedJson{{"warning", MessageJson(warning.code, warning.message)}};
}
Result<OrderedJson> ToJson(const Artifact& artifact) {
  if (artifact.path.empty() || artifact.path.size() > kMaxPathBytes) {
    return BadEvent("artifact.path: " + std::to_string(artifact.path.size()) + " bytes; want 1 to 512");
  }
  OrderedJson json = {{"path", artifact.path}};
  if (!artifact.media_type.empty()) json["media_type"] = artifact.media_type;
  return OrderedJson{{"artifact", json}};
}
Result<OrderedJson> ToJson(const Failure& failure) {
  return OrderedJson{{"error", MessageJson(failure.code, failure.message)}};
}

}  // namespace

std::string StatusName(RowStatus status) {
  switch (status) {
    case RowStatus::kOk:
      return "OK";
    case RowStatus::kFailed:
      return "FAILED";
    case RowStatus::kWaived:
      return "WAIVED";
    case RowStatus::kError:
      return "ERROR";
    case RowStatus::kTimeout:
      return "TIMEOUT";
    case RowStatus::kInconclusive:
      return "INCONCLUSIVE";
  }
  return "UNSPECIFIED";
}

Result<std::string> EventLine(const Event& event) {
  const Result<OrderedJson> json = std::visit([](const auto& value) { return ToJson(value); }, event);
  if (!json.ok()) return json.error();
  std::string line = json->dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  if (line.size() + 1 > kMaxLineBytes) {
    return Error{"LINE_TOO_LONG", "an event of " + std::to_string(line.size()) + " bytes; want at most 1 MiB"};
  }
  return line;
}

}  // namespace benchwire::kit
