// Summaries of one sample and honest intervals for its centre. One place for runners, server and clients, so that a
// number means the same wherever it is computed. Pure functions: no state, any thread. A sample that holds NaN or an
// infinity, or is empty, is refused: every function then returns nothing. Same sample, same answer, on every machine.
#ifndef BENCHWIRE_WORKERS_KIT_STATISTICS_H_
#define BENCHWIRE_WORKERS_KIT_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace benchwire::statistics {

// Under this many values no interval is given: the order-statistic interval of 5 values reaches 93.75 % at best.
inline constexpr std::size_t kMinIntervalSamples = 6;

// The confidence asked for where nobody says otherwise.
inline constexpr double kDefaultConfidence = 0.95;

inline constexpr char kMedianMethod[] = "median-order-statistic";
inline constexpr char kMeanMethod[] = "mean-bootstrap-t";

// A two-sided interval in the unit of the sample, ends included.
struct Interval {
  double low = 0;
  double high = 0;
  // For the median the exact coverage, never less than asked; for the mean the coverage aimed at.
  double confidence = 0;
  std::string method;
};

// True where the sample has at least one value and all are finite.
bool IsUsable(std::span<const double> sample);

std::optional<double> Mean(std::span<const double> sample);

// Middle value; of an even number of values the mean of the two in the middle.
std::optional<double> Median(std::span<const double> sample);

// The value under which `percent` (0 to 100) of the sample lies, with linear interpolation between order statistics
// (Hyndman and Fan, "Sample quantiles in statistical packages", 1996, type 7). Nothing for a percent out of range.
std::optional<double> Percentile(std::span<const double> sample, double percent);

// Sample standard deviation (n - 1). Nothing for fewer than two values.
std::optional<double> StandardDeviation(std::span<const double> sample);

// Median absolute deviation from the median, not scaled.
std::optional<double> MedianAbsoluteDeviation(std::span<const double> sample);

// Standard deviation over |mean|. Nothing for fewer than two values or a mean of 0.
std::optional<double> CoefficientOfVariation(std::span<const double> sample);

// The exact probability that the k-th smallest and the k-th largest of n independent values enclose the median, for
// 1 <= k <= n/2: 1 - 2 P(Bin(n, 1/2) < k). Exact for continuous distributions, a lower bound for others. 0 for other k.
double OrderStatisticCoverage(std::size_t n, std::size_t k);

// The narrowest symmetric pair of order statistics that encloses the median with at least `confidence` (David and
// Nagaraja, "Order Statistics", 3rd ed., section 7.1). No assumption on the distribution but independence. Nothing for
// n < 6, for a confidence outside (0, 1), or for one that n values cannot reach.
std::optional<Interval> MedianInterval(std::span<const double> sample, double confidence = kDefaultConfidence);

// Studentised bootstrap (bootstrap-t) interval for the mean (Efron and Tibshirani, "An Introduction to the Bootstrap",
// 1993, section 12.5): resamples are studentised with their own standard error, which corrects the short, symmetric
// intervals of the percentile bootstrap for small and skewed samples. 1999 resamples, fewer above 10,000 values but
// never under 399. All values equal: the interval is that point. Nothing for n < 6, for a confidence outside (0,
// 0.995], and where so many values are equal that the resamples leave an end unbounded.
std::optional<Interval> MeanInterval(std::span<const double> sample, double confidence = kDefaultConfidence,
                                     std::uint64_t seed = 1);

}  // namespace benchwire::statistics

#endif  // BENCHWIRE_WORKERS_KIT_STATISTICS_H_
