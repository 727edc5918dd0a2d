#include "workers/kit/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace benchwire::statistics {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> Counting(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(SummaryTest, HandCheckedSample) {
  const std::vector<double> sample = {9, 2, 4, 4, 5, 4, 7, 5};
  EXPECT_DOUBLE_EQ(*Mean(sample), 5);
  EXPECT_DOUBLE_EQ(*Median(sample), 4.5);
  EXPECT_DOUBLE_EQ(*StandardDeviation(sample), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(*CoefficientOfVariation(sample), std::sqrt(32.0 / 7) / 5);
  EXPECT_DOUBLE_EQ(*MedianAbsoluteDeviation(sample), 0.5);
}

TEST(SummaryTest, MedianOfOddEvenAndOneValue) {
  EXPECT_DOUBLE_EQ(*Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(*Median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(*Median(std::vector<double>{7}), 7);
}

TEST(SummaryTest, PercentileInterpolatesAsType7) {
  const std::vector<double> sample = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(*Percentile(sample, 0), 1);
  EXPECT_DOUBLE_EQ(*Percentile(sample, 25), 1.75);
  EXPECT_DOUBLE_EQ(*Percentile(sample, 50), 2.5);
  EXPECT_DOUBLE_EQ(*Percentile(sample, 95), 3.85);
  EXPECT_DOUBLE_EQ(*Percentile(sample, 100), 4);
  EXPECT_FALSE(Percentile(sample, -0.1));
  EXPECT_FALSE(Percentile(sample, 100.1));
  EXPECT_FALSE(Percentile(sample, kNan));
}

TEST(SummaryTest, LargeValuesDoNotOverflow) {
  const std::vector<double> sample = {1e308, 1.5e308, 1.7e308};
  EXPECT_DOUBLE_EQ(*Mean(sample), 1.4e308);
  EXPECT_TRUE(std::isfinite(*Median(std::vector<double>{1.5e308, 1.7e308})));
}

TEST(SummaryTest, RefusesEmptyAndNonFinite) {
  for (const std::vector<double>& bad :
       {std::vector<double>{}, {1, 2, 3, 4, 5, 6, kNan}, {kInfinity, 1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, -kInfinity}}) {
    EXPECT_FALSE(IsUsable(bad));
    EXPECT_FALSE(Mean(bad));
    EXPECT_FALSE(Median(bad));
    EXPECT_FALSE(Percentile(bad, 50));
    EXPECT_FALSE(StandardDeviation(bad));
    EXPECT_FALSE(MedianAbsoluteDeviation(bad));
    EXPECT_FALSE(CoefficientOfVariation(bad));
    EXPECT_FALSE(MedianInterval(bad));
    EXPECT_FALSE(MeanInterval(bad));
  }
}

TEST(SummaryTest, SpreadNeedsTwoValuesAndAMean) {
  EXPECT_FALSE(StandardDeviation(std::vector<double>{1}));
  EXPECT_FALSE(CoefficientOfVariation(std::vector<double>{-1, 1}));
  EXPECT_GT(*CoefficientOfVariation(std::vector<double>{-1, -3}), 0);
}

TEST(CoverageTest, MatchesExactBinomialSums) {
  EXPECT_NEAR(OrderStatisticCoverage(5, 1), 1 - 2.0 / 32, 1e-14);
  EXPECT_NEAR(OrderStatisticCoverage(6, 1), 1 - 2.0 / 64, 1e-14);
  EXPECT_NEAR(OrderStatisticCoverage(9, 2), 1 - 2.0 * (1 + 9) / 512, 1e-14);
  EXPECT_NEAR(OrderStatisticCoverage(10, 2), 1 - 2.0 * (1 + 10) / 1024, 1e-14);
  EXPECT_NEAR(OrderStatisticCoverage(20, 6), 1 - 2.0 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 1048576, 1e-13);
  EXPECT_EQ(OrderStatisticCoverage(6, 0), 0);
  EXPECT_EQ(OrderStatisticCoverage(6, 4), 0);
}

TEST(MedianIntervalTest, PicksTheRightOrderStatistics) {
  struct Case {
    int n;
    double confidence;
    double low;
    double high;
  };
  // k from tables of the sign test: 6 -> 1, 9 -> 2, 10 -> 2, 12 -> 3, 20 -> 6, 100 -> 40.
  for (const Case& c : {Case{6, 0.95, 1, 6}, Case{9, 0.95, 2, 8}, Case{10, 0.95, 2, 9}, Case{12, 0.95, 3, 10},
                        Case{20, 0.95, 6, 15}, Case{100, 0.95, 40, 61}, Case{8, 0.99, 1, 8}, Case{20, 0.99, 4, 17}}) {
    const std::optional<Interval> interval = MedianInterval(Counting(c.n), c.confidence);
    ASSERT_TRUE(interval) << c.n;
    EXPECT_EQ(interval->low, c.low) << c.n;
    EXPECT_EQ(interval->high, c.high) << c.n;
    EXPECT_GE(interval->confidence, c.confidence) << c.n;
    EXPECT_EQ(interval->method, "median-order-statistic");
  }
}

TEST(MedianIntervalTest, ExactConfidenceIsReached) {
  EXPECT_TRUE(MedianInterval(Counting(6), 0.96875));
  EXPECT_FALSE(MedianInterval(Counting(6), 0.9688));
  EXPECT_FALSE(MedianInterval(Counting(7), 0.99));
}

TEST(MedianIntervalTest, FewSamplesAndBadConfidenceGiveNone) {
  EXPECT_FALSE(MedianInterval(Counting(5), 0.5));
  for (double confidence : {0.0, 1.0, -0.5, 1.5, kNan}) EXPECT_FALSE(MedianInterval(Counting(20), confidence));
}

TEST(MedianIntervalTest, ConstantAndLargeSamples) {
  const std::optional<Interval> constant = MedianInterval(std::vector<double>(10, 3.0));
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->low, 3);
  EXPECT_EQ(constant->high, 3);
  const std::optional<Interval> large = MedianInterval(Counting(100'000));
  ASSERT_TRUE(large);
  // Normal approximation: 50000.5 -+ 1.96 * sqrt(100000) / 2.
  EXPECT_NEAR(large->low, 49691, 2);
  EXPECT_NEAR(large->high, 50310, 2);
}

TEST(MeanIntervalTest, HoldsTheMeanAndRepeats) {
  const std::vector<double> sample = Counting(20);
  const std::optional<Interval> first = MeanInterval(sample);
  const std::optional<Interval> second = MeanInterval(sample);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->low, second->low);
  EXPECT_EQ(first->high, second->high);
  EXPECT_LT(first->low, 10.5);
  EXPECT_GT(first->high, 10.5);
  // Student's t gives 10.5 -+ 2.093 * 1.3229 = 7.73 .. 13.27.
  EXPECT_NEAR(first->low, 7.73, 0.4);
  EXPECT_NEAR(first->high, 13.27, 0.4);
  EXPECT_EQ(first->method, "mean-bootstrap-t");
  EXPECT_EQ(first->confidence, 0.95);
  EXPECT_NE(MeanInterval(sample, 0.95, 2)->low, first->low);
}

TEST(MeanIntervalTest, RefusesWhatItCannotGive) {
  EXPECT_FALSE(MeanInterval(Counting(5)));
  for (double confidence : {0.0, 1.0, 0.999, -1.0, kNan}) EXPECT_FALSE(MeanInterval(Counting(20), confidence));
  EXPECT_TRUE(MeanInterval(Counting(20), 0.995));
  // A third of the resamples of this sample holds no 1: the upper end is unbounded.
  EXPECT_FALSE(MeanInterval(std::vector<double>{0, 0, 0, 0, 0, 1}));
}

TEST(MeanIntervalTest, ConstantSampleIsAPoint) {
  const std::optional<Interval> interval = MeanInterval(std::vector<double>(8, 0.1));
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 0.1);
  EXPECT_EQ(interval->high, 0.1);
}

TEST(MeanIntervalTest, WiderWithMoreConfidence) {
  const std::vector<double> sample = {1, 2, 2, 3, 5, 8, 13, 21};
  const Interval narrow = *MeanInterval(sample, 0.8);
  const Interval wide = *MeanInterval(sample, 0.99);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
}

// Share of `runs` samples of n exponential values whose interval holds `truth`.
template <typename IntervalOf>
double Covered(int runs, std::size_t n, double truth, IntervalOf interval_of) {
  std::mt19937_64 random(7);
  int held = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> sample(n);
    for (double& value : sample) value = -std::log(1 - static_cast<double>(random() >> 11) * 0x1p-53);
    const std::optional<Interval> interval = interval_of(sample);
    if (interval && interval->low <= truth && truth <= interval->high) ++held;
  }
  return static_cast<double>(held) / runs;
}

TEST(CoverageTest, MedianIntervalCoversAsStatedOnASkewedDistribution) {
  for (std::size_t n : {std::size_t{6}, std::size_t{10}, std::size_t{20}}) {
    const double stated = MedianInterval(Counting(static_cast<int>(n)))->confidence;
    const double covered = Covered(4000, n, std::log(2.0), [](const auto& s) { return MedianInterval(s); });
    EXPECT_NEAR(covered, stated, 0.015) << n;  // Four standard errors of 4000 runs.
  }
}

TEST(CoverageTest, MeanIntervalCoversWhereThePercentileBootstrapFails) {
  const double covered = Covered(300, 20, 1, [](const auto& s) { return MeanInterval(s); });
  EXPECT_GE(covered, 0.91);
}

}  // namespace
}  // namespace benchwire::statistics
