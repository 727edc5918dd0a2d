#include <cmath>

#include "server/base/artifact_path.h"
#include "server/base/status.h"
#include "server/core/attempts.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

constexpr size_t kMaxName = 128;
constexpr size_t kMaxReason = 4096;
constexpr size_t kMaxCode = 64;
constexpr int kMaxSamples = 100'000;
constexpr size_t kMaxFacts = 256;
constexpr int kMaxWarnings = 128;
constexpr size_t kMaxArtifactBytes = 1 << 20;

absl::Status CheckName(const std::string& field, const std::string& value) {
  if (value.empty()) return BadField(field, value, "a name of 1 to 128 bytes");
  return CheckLine(field, value, kMaxName);
}

}  // namespace

absl::Status CheckMeasurement(const v1::Measurement& row) {
  RETURN_IF_ERROR(CheckName("measurement.metric", row.metric()));
  RETURN_IF_ERROR(CheckLine("measurement.case", row.case_(), kMaxName));
  RETURN_IF_ERROR(CheckLine("measurement.unit", row.unit(), kMaxName));
  RETURN_IF_ERROR(CheckLine("measurement.estimator", row.estimator(), kMaxName));
  RETURN_IF_ERROR(CheckLine("measurement.reason_code", row.reason_code(), kMaxName));
  RETURN_IF_ERROR(CheckText("measurement.reason", row.reason(), kMaxReason));
  RETURN_IF_ERROR(CheckLabels("measurement.labels", row.labels()));
  if (row.has_value()) RETURN_IF_ERROR(CheckFinite("measurement.value", row.value()));
  if (row.has_interval()) {
    RETURN_IF_ERROR(CheckFinite("measurement.interval.low", row.interval().low()));
    RETURN_IF_ERROR(CheckFinite("measurement.interval.high", row.interval().high()));
  }
  if (row.samples_size() > kMaxSamples) {
    return BadField("measurement.samples", std::to_string(row.samples_size()) + " samples", "at most 100000");
  }
  for (double sample : row.samples()) RETURN_IF_ERROR(CheckFinite("measurement.samples", sample));
  if (row.status() == v1::MEASUREMENT_STATUS_UNSPECIFIED || !v1::MeasurementStatus_IsValid(row.status())) {
    return BadField("measurement.status", std::to_string(row.status()),
                    "OK, FAILED, WAIVED, ERROR, TIMEOUT or INCONCLUSIVE");
  }
  if (row.status() == v1::MEASUREMENT_STATUS_OK && !row.has_value()) {
    return BadField("measurement.value", "absent", "a number where the status is OK");
  }
  if (row.status() != v1::MEASUREMENT_STATUS_OK && row.reason_code().empty()) {
    return BadField("measurement.reason_code", "", "a reason where the status is not OK");
  }
  return absl::OkStatus();
}

absl::Status CheckPoints(const storage::PointGroup& group) {
  RETURN_IF_ERROR(CheckName("point.metric", group.metric));
  RETURN_IF_ERROR(CheckLabels("point.labels", group.labels));
  for (const storage::StepValue& point : group.points) {
    if (point.step < 0) RETURN_IF_ERROR(CheckRange("point.step", point.step, 0, INT64_MAX));
    if (!std::isfinite(point.value)) RETURN_IF_ERROR(CheckFinite("point.value", point.value));
  }
  return absl::OkStatus();
}

absl::Status CheckArtifacts(const google::protobuf::RepeatedPtrField<v1::ArtifactChunk>& chunks) {
  size_t bytes = 0;
  for (const v1::ArtifactChunk& chunk : chunks) {
    bytes += chunk.data().size();
    if (!IsArtifactPath(chunk.path())) return BadField("artifacts.path", chunk.path(), kArtifactPathForm);
    if (!IsMediaType(chunk.media_type())) return BadField("artifacts.media_type", chunk.media_type(), kMediaTypeForm);
  }
  if (bytes > kMaxArtifactBytes) {
    return BadField("artifacts.data", std::to_string(bytes) + " bytes", "at most 1 MiB in a batch");
  }
  return absl::OkStatus();
}

absl::Status CheckMessage(const std::string& field, const std::string& code, const std::string& message) {
  RETURN_IF_ERROR(CheckLine(field + ".code", code, kMaxCode));
  return CheckText(field + ".message", message, kMaxReason);
}

absl::Status CheckEnvironment(const google::protobuf::Map<std::string, std::string>& facts) {
  if (facts.size() > kMaxFacts) return BadField("environment", std::to_string(facts.size()) + " keys", "at most 256");
  for (const auto& [key, value] : facts) {
    RETURN_IF_ERROR(CheckName("environment", key));
    RETURN_IF_ERROR(CheckText("environment." + key, value, kMaxReason));
  }
  return absl::OkStatus();
}

absl::Status CheckWarnings(const google::protobuf::RepeatedPtrField<v1::RunnerMessage>& warnings) {
  if (warnings.size() > kMaxWarnings) {
    return BadField("warnings", std::to_string(warnings.size()) + " warnings", "at most 128");
  }
  for (const v1::RunnerMessage& warning : warnings) {
    RETURN_IF_ERROR(CheckMessage("warnings", warning.code(), warning.message()));
  }
  return absl::OkStatus();
}

}  // namespace benchwire::core
