#include "server/base/number_format.h"

#include <gtest/gtest.h>

namespace benchwire {
namespace {

v1::Interval MakeInterval(double low, double high) {
  v1::Interval interval;
  interval.set_low(low);
  interval.set_high(high);
  interval.set_confidence(0.95);
  return interval;
}

std::string Shown(double value, const std::string& unit) { return FormatQuantity(value, unit, nullptr).Text(); }

TEST(NumberFormat, ScalesToAFittingPrefix) {
  EXPECT_EQ(Shown(24.312e9, "B/s"), "24.31 GB/s");
  EXPECT_EQ(Shown(999.4e6, "B/s"), "999.4 MB/s");
  EXPECT_EQ(Shown(512, "B"), "512 B");
  EXPECT_EQ(Shown(1873, "ns"), "1.873 µs");
  EXPECT_EQ(Shown(12.5, "ns"), "12.50 ns");
  EXPECT_EQ(Shown(3.5, "s"), "3.500 s");
  EXPECT_EQ(Shown(0.002, "s"), "2.000 ms");
  EXPECT_EQ(Shown(0, "s"), "0 s");
  EXPECT_EQ(Shown(97.25, "%"), "97.25 %");
  EXPECT_EQ(Shown(3, "1"), "3");
  EXPECT_EQ(Shown(-2.5e-12, "1"), "-2.5e-12");
}

TEST(NumberFormat, ShowsThresholdsAsTheyWereMeant) {
  EXPECT_EQ(FormatValue(20e9, "B/s"), "20 GB/s");
  EXPECT_EQ(FormatValue(2000, "ns"), "2 µs");
  EXPECT_EQ(FormatValue(0.925, "1"), "0.925");
}

TEST(NumberFormat, TheIntervalDecidesTheDigits) {
  const v1::Interval interval = MakeInterval(24.203e9, 24.431e9);
  const Quantity quantity = FormatQuantity(24.312e9, "B/s", &interval);
  EXPECT_EQ(quantity.value, "24.31");
  EXPECT_EQ(quantity.plus_minus, "0.12");
  EXPECT_EQ(quantity.Range(), "24.20 – 24.43 GB/s");
  EXPECT_EQ(quantity.confidence, "95 %");
  const v1::Interval wide = MakeInterval(10e9, 90e9);
  EXPECT_EQ(FormatQuantity(50e9, "B/s", &wide).value, "50");
  const v1::Interval point = MakeInterval(1e9, 1e9);
  EXPECT_EQ(FormatQuantity(1e9, "B/s", &point).plus_minus, "0.000");
}

}  // namespace
}  // namespace benchwire
