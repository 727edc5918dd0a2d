// Numbers for people, and what people type for numbers. SI units; a number is scaled only in views. All pure; a parse
// error is INVALID_ARGUMENT naming the option, the value and what would be right.
#ifndef BENCHWIRE_CLIENTS_CLI_UNITS_H_
#define BENCHWIRE_CLIENTS_CLI_UNITS_H_

#include <benchwire/v1/measurement.pb.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/base/clock.h"

namespace benchwire::cli {

// A unit and what to divide by to show a number in it.
struct Scale {
  double divisor = 1;
  std::string unit;
};

// The unit in which `value` is best read: 1.2e10 `B/s` → GB/s, 1500 `ns` → µs. Unknown units stay as they are.
Scale ScaleFor(double value, const std::string& unit);

// Four significant digits, without an exponent from 1e-4 to 1e7.
std::string Number(double value);
// The shortest text that reads back as the same double.
std::string ExactNumber(double value);
// "12.35 GB/s"; a unit of `1` is not written.
std::string Quantity(double value, const std::string& unit);
// "12.35 GB/s ± 0.21 [12.1, 12.52]" for a value with an interval, all in one unit. ± is half of the interval's width.
std::string QuantityWithInterval(double value, const std::string& unit, const v1::Interval& interval);
// Bytes in binary units: "64 MiB".
std::string Bytes(int64_t bytes);

// "3 h 5 min", "12 s", "250 ms"; two parts at most. Negative: "0 ms".
std::string Span(std::chrono::nanoseconds span);
// How long ago, by the server's clock: "5 min ago"; "just now" where less than a second or, by a clock that is wrong,
// negative.
std::string Ago(WallTime then, WallTime server_now);
// `2026-01-14T09:00:00Z`.
std::string Rfc3339(WallTime time);
// The calendar day of the local time zone, `2026-01-14`.
std::string LocalDay(WallTime time);

// "64MiB", "4096", "1.5 GB": bytes, whole.
absl::StatusOr<int64_t> ParseBytes(const std::string& option, const std::string& text);
// "20ms", "1.5s", "1h30m": a number always has its unit (ns, us, ms, s, m, h, d).
absl::StatusOr<std::chrono::nanoseconds> ParseSpan(const std::string& option, const std::string& text);
// A whole decimal number in [least, most].
absl::StatusOr<int64_t> ParseInteger(const std::string& option, const std::string& text, int64_t least, int64_t most);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_UNITS_H_
