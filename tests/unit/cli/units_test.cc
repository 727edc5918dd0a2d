#include "clients/cli/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"

namespace benchwire::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(Quantity, IsScaledBySiPrefixes) {
  EXPECT_EQ(Quantity(1.2345e10, "B/s"), "12.35 GB/s");
  EXPECT_EQ(Quantity(3.2e12, "B/s"), "3.2 TB/s");
  EXPECT_EQ(Quantity(1500, "ns"), "1.5 µs");
  EXPECT_EQ(Quantity(0.0123, "s"), "12.3 ms");
  EXPECT_EQ(Quantity(2, "1"), "2");
  EXPECT_EQ(Quantity(42.5, "%"), "42.5 %");
  EXPECT_EQ(Quantity(0, "B/s"), "0 B/s");
  EXPECT_EQ(Quantity(-2e9, "B/s"), "-2 GB/s");
  EXPECT_EQ(Quantity(5, "furlong"), "5 furlong");
}

TEST(Quantity, IntervalIsInTheUnitOfTheValue) {
  v1::Interval interval;
  interval.set_low(9.9e9);
  interval.set_high(1.03e10);
  EXPECT_EQ(QuantityWithInterval(1.01e10, "B/s", interval), "10.1 GB/s ± 0.2 [9.9, 10.3]");
}

TEST(Number, HasFourSignificantDigits) {
  EXPECT_EQ(Number(123456), "123456");
  EXPECT_EQ(Number(0.00012346), "0.0001235");
  EXPECT_EQ(Number(1.5e-9), "1.500e-09");
  EXPECT_EQ(Number(999.96), "1000");
  EXPECT_EQ(ExactNumber(0.1), "0.1");
}

TEST(Bytes, AreBinary) {
  EXPECT_EQ(Bytes(64 << 20), "64 MiB");
  EXPECT_EQ(Bytes(1000), "1000 B");
}

TEST(Span, HasTwoPartsAtMost) {
  EXPECT_EQ(Span(milliseconds(250)), "250 ms");
  EXPECT_EQ(Span(seconds(61)), "1 min 1 s");
  EXPECT_EQ(Span(seconds(3 * 3600 + 5 * 60 + 9)), "3 h 5 min");
  EXPECT_EQ(Span(hours(48)), "2 d");
  EXPECT_EQ(Span(seconds(-5)), "0 ms");
}

// A clock that is wrong by seconds or hours must not show a negative age.
TEST(Ago, IsNeverNegative) {
  FakeClock clock;
  const WallTime created = clock.Now();
  EXPECT_EQ(Ago(created, created - seconds(5)), "just now");
  EXPECT_EQ(Ago(created, created - hours(6)), "just now");
  EXPECT_EQ(Ago(created, created + milliseconds(400)), "just now");
  EXPECT_EQ(Ago(created, created + hours(6)), "6 h ago");
}

TEST(Rfc3339, IsUtc) { EXPECT_EQ(Rfc3339(FakeClock().Now()), "2026-01-14T09:00:00Z"); }

TEST(ParseBytes, TakesBinaryAndDecimalUnits) {
  EXPECT_EQ(*ParseBytes("--size", "4096"), 4096);
  EXPECT_EQ(*ParseBytes("--size", "64MiB"), 64 << 20);
  EXPECT_EQ(*ParseBytes("--size", "1.5 GB"), 1'500'000'000);
  EXPECT_EQ(*ParseBytes("--size", "1TiB"), int64_t{1} << 40);
}

TEST(ParseBytes, RefusesWhatIsNotAWholeNumberOfBytes) {
  for (const char* text : {"", "-1", "1.5", "64XB", "MiB", "1e3", "nan", "inf", "64MiB ", "9999999TiB", "0x10"}) {
    const auto bytes = ParseBytes("--size", text);
    EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("--size: '" + std::string(text) + "'"));
  }
}

TEST(ParseSpan, NeedsUnits) {
  EXPECT_EQ(*ParseSpan("--timeout", "20ms"), milliseconds(20));
  EXPECT_EQ(*ParseSpan("--timeout", "1.5s"), milliseconds(1500));
  EXPECT_EQ(*ParseSpan("--timeout", "1h30m"), hours(1) + std::chrono::minutes(30));
  EXPECT_EQ(*ParseSpan("--timeout", "0s"), seconds(0));
  for (const char* text : {"", "90", "-1s", "s", "1x", "1h30", "99999999999999999d"}) {
    EXPECT_EQ(ParseSpan("--timeout", text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ParseInteger, NamesOptionValueAndRange) {
  EXPECT_EQ(*ParseInteger("--seed", "9223372036854775807", 0, INT64_MAX), INT64_MAX);
  const auto negative = ParseInteger("--seed", "-1", 0, 10);
  EXPECT_EQ(std::string(negative.status().message()),
            "--seed: '-1' is not valid; expected a whole number from 0 to 10");
  for (const char* text : {"", " 1", "1 ", "1.0", "0x1", "11", "9223372036854775808", "+1"}) {
    EXPECT_FALSE(ParseInteger("--n", text, 0, 10).ok()) << text;
  }
}

}  // namespace
}  // namespace benchwire::cli
