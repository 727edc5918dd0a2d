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

TEST(ExactNumber, ReadsBackTheSame) { EXPECT_EQ(ExactNumber(0.1), "0.1"); }

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
