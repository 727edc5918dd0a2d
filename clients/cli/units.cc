#include "clients/cli/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "server/base/status.h"

namespace benchwire::cli {
namespace {

using std::chrono::nanoseconds;
using UnitTable = std::vector<std::pair<double, const char*>>;

// The number at the start of `text`, which loses it and the spaces after it.
std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return value;
}

std::string_view TakeLetters(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && (text[count] < '0' || text[count] > '9') && text[count] != ' ') ++count;
  const std::string_view letters = text.substr(0, count);
  text.remove_prefix(count);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return letters;
}

std::optional<double> Lookup(const UnitTable& table, std::string_view unit) {
  for (const auto& [factor, name] : table) {
    if (unit == name) return factor;
  }
  return std::nullopt;
}

}  // namespace

std::string ExactNumber(double value) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : "";
}

std::string Bytes(int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  char number[32];
  std::snprintf(number, sizeof number, "%.6g", value);
  return std::string(number) + " " + kUnits[unit];
}

std::string Span(nanoseconds span) {
  using namespace std::chrono;  // NOLINT: literals of durations only
  span = std::max(span, nanoseconds(0));
  if (span < seconds(1)) return std::to_string(duration_cast<milliseconds>(span).count()) + " ms";
  const int64_t total = duration_cast<seconds>(span).count();
  static constexpr std::array<std::pair<int64_t, const char*>, 4> kParts = {
      {{86'400, " d"}, {3'600, " h"}, {60, " min"}, {1, " s"}}};
  for (size_t i = 0; i < kParts.size(); ++i) {
    if (total < kParts[i].first) continue;
    std::string out = std::to_string(total / kParts[i].first) + kParts[i].second;
    if (i + 1 < kParts.size()) {
      const int64_t rest = total % kParts[i].first / kParts[i + 1].first;
      if (rest > 0) out += " " + std::to_string(rest) + kParts[i + 1].second;
    }
    return out;
  }
  return "0 s";
}

std::string Ago(WallTime then, WallTime server_now) {
  const nanoseconds age = server_now - then;
  if (age < std::chrono::seconds(1)) return "just now";
  return Span(age) + " ago";
}

std::string Rfc3339(WallTime time) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::floor<std::chrono::seconds>(time)));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char buffer[32];
  return std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? buffer : "";
}

std::string LocalDay(WallTime time) {
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::floor<std::chrono::seconds>(time)));
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char buffer[16];
  return std::strftime(buffer, sizeof buffer, "%Y-%m-%d", &parts) > 0 ? buffer : "";
}

absl::StatusOr<int64_t> ParseBytes(const std::string& option, const std::string& text) {
  static const UnitTable kUnits = {{1, ""},
                                   {1, "B"},
                                   {1e3, "kB"},
                                   {1e3, "KB"},
                                   {1e6, "MB"},
                                   {1e9, "GB"},
                                   {1e12, "TB"},
                                   {1024.0, "KiB"},
                                   {1048576.0, "MiB"},
                                   {1073741824.0, "GiB"},
                                   {1099511627776.0, "TiB"}};
  static constexpr double kMost = 9007199254740992.0;  // 2^53: every smaller whole number is exact.
  std::string_view rest = text;
  const std::optional<double> number = TakeNumber(rest);
  const std::optional<double> factor = Lookup(kUnits, rest);
  const double bytes = number && factor ? *number * *factor : -1;
  if (bytes < 0 || bytes > kMost || bytes != std::floor(bytes)) {
    return BadField(option, text, "a whole number of bytes such as 4096, 64MiB or 1GB");
  }
  return static_cast<int64_t>(bytes);
}

absl::StatusOr<nanoseconds> ParseSpan(const std::string& option, const std::string& text) {
  static const UnitTable kUnits = {{1, "ns"},   {1e3, "us"},   {1e3, "µs"},   {1e6, "ms"},   {1e9, "s"},
                                   {60e9, "m"}, {60e9, "min"}, {3600e9, "h"}, {86400e9, "d"}};
  static constexpr double kMost = 9.2e18;
  std::string_view rest = text;
  double total = 0;
  bool good = !rest.empty();
  while (good && !rest.empty()) {
    const std::optional<double> number = TakeNumber(rest);
    const std::optional<double> factor = Lookup(kUnits, TakeLetters(rest));
    good = number && factor && *number >= 0;
    if (good) total += *number * *factor;
  }
  if (!good || total > kMost) return BadField(option, text, "a time with its unit such as 20ms, 60s or 1h30m");
  return nanoseconds(std::llround(total));
}

absl::StatusOr<int64_t> ParseInteger(const std::string& option, const std::string& text, int64_t least, int64_t most) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least || value > most) {
    return BadField(option, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

}  // namespace benchwire::cli
