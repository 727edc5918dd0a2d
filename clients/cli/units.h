// Sizes and times for people (other numbers: server/base/number_format.h), and what people type for numbers. All pure;
// a parse error is INVALID_ARGUMENT naming the option, the value and what would be right.
#ifndef BENCHWIRE_CLIENTS_CLI_UNITS_H_
#define BENCHWIRE_CLIENTS_CLI_UNITS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/base/clock.h"

namespace benchwire::cli {

// The shortest text that reads back as the same double.
std::string ExactNumber(double value);
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
