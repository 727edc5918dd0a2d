#include "server/core/validation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "server/base/clock.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::core {
namespace {

constexpr int64_t kMaxPageSize = 1000;
constexpr int32_t kNanosPerSecond = 1'000'000'000;
constexpr int kMaxLabels = 64;
constexpr size_t kMaxLabelValue = 256;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool IsControlButSpace(char c) { return IsControl(c) && c != '\t' && c != '\n' && c != '\r'; }
bool IsIdChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool IsLabelKey(const std::string& key) {
  return !key.empty() && key.size() <= 63 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

// Control characters as \xNN, so that an error message shows them.
std::string Shown(const std::string& value) {
  std::string out;
  for (char c : value) {
    if (IsControl(c)) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out;
}

absl::Status CheckCharacters(const std::string& field, const std::string& value, size_t max_bytes,
                             bool (*refused)(char), const char* kind) {
  if (value.size() > max_bytes) {
    return BadField(field, std::to_string(value.size()) + " bytes", "at most " + std::to_string(max_bytes) + " bytes");
  }
  if (std::any_of(value.begin(), value.end(), refused)) return BadField(field, Shown(value), kind);
  return absl::OkStatus();
}

std::string Seconds(std::chrono::nanoseconds value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%gs", std::chrono::duration<double>(value).count());
  return buffer;
}

}  // namespace

absl::Status CheckLine(const std::string& field, const std::string& value, size_t max_bytes) {
  return CheckCharacters(field, value, max_bytes, IsControl, "one line without control characters");
}

absl::Status CheckText(const std::string& field, const std::string& value, size_t max_bytes) {
  return CheckCharacters(field, value, max_bytes, IsControlButSpace,
                         "text without control characters other than tab and line ends");
}

absl::Status CheckSlug(const std::string& field, const std::string& value) {
  return IsSlug(value) ? absl::OkStatus() : BadField(field, Shown(value), "1 to 63 characters a-z, 0-9 and -");
}

absl::Status CheckRequestId(const std::string& field, const std::string& value) {
  if (value.size() <= 64 && std::all_of(value.begin(), value.end(), IsIdChar)) return absl::OkStatus();
  return BadField(field, Shown(value), "at most 64 characters A-Z, a-z, 0-9, _ and -");
}

absl::Status CheckRequiredId(const std::string& field, const std::string& value) {
  if (value.size() < 8) return BadField(field, Shown(value), "8 to 64 characters A-Z, a-z, 0-9, _ and -");
  return CheckRequestId(field, value);
}

absl::Status CheckRange(const std::string& field, int64_t value, int64_t least, int64_t largest) {
  if (value >= least && value <= largest) return absl::OkStatus();
  return BadField(field, std::to_string(value), std::to_string(least) + " to " + std::to_string(largest));
}

absl::Status CheckFinite(const std::string& field, double value) {
  return std::isfinite(value) ? absl::OkStatus() : BadField(field, std::to_string(value), "a finite number");
}

absl::Status CheckLabels(const std::string& field, const google::protobuf::Map<std::string, std::string>& labels) {
  if (labels.size() > kMaxLabels) {
    return BadField(field, std::to_string(labels.size()) + " labels", "at most " + std::to_string(kMaxLabels));
  }
  for (const auto& [key, value] : labels) {
    if (!IsLabelKey(key)) return BadField(field, Shown(key), "keys of 1 to 63 characters a-z, 0-9, _, . and -");
    RETURN_IF_ERROR(CheckLine(field + "." + key, value, kMaxLabelValue));
  }
  return absl::OkStatus();
}

absl::Status CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                           std::chrono::nanoseconds least, std::chrono::nanoseconds largest) {
  const std::string expected = Seconds(least) + " to " + Seconds(largest);
  const bool well_formed = value.nanos() > -kNanosPerSecond && value.nanos() < kNanosPerSecond &&
                           (value.seconds() == 0 || value.nanos() >= 0);
  // Compared in seconds first: the largest Duration does not fit into 64 bits of nanoseconds.
  if (!well_formed || value.seconds() > std::chrono::duration_cast<std::chrono::seconds>(largest).count() ||
      value.seconds() < 0 || FromProto(value) < least || FromProto(value) > largest) {
    return BadField(field, std::to_string(value.seconds()) + "s + " + std::to_string(value.nanos()) + "ns", expected);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PageSize(int32_t page_size, int64_t fallback) {
  if (page_size < 0) return BadField("page_size", std::to_string(page_size), "0 to " + std::to_string(kMaxPageSize));
  if (page_size == 0) return fallback;
  return std::min<int64_t>(page_size, kMaxPageSize);
}

}  // namespace benchwire::core
