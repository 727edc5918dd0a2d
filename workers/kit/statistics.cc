#include "workers/kit/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace benchwire::statistics {
namespace {

constexpr std::size_t kResamples = 1999;
constexpr std::size_t kMinResamples = 399;
constexpr std::size_t kResampleBudget = 20'000'000;  // Values drawn in all: well under a second.
constexpr double kMaxMeanConfidence = 0.995;         // (399 + 1) * (1 - 0.995) / 2 = 1: the outermost resample.

std::vector<double> Sorted(std::span<const double> sample) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double MedianOfSorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : std::midpoint(sorted[n / 2 - 1], sorted[n / 2]);
}

// Mean and sum of squared deviations, with room for sums of large values.
struct Moments {
  long double mean = 0;
  long double squares = 0;
};

template <typename At>
Moments MomentsOf(std::size_t n, At at) {
  Moments moments;
  for (std::size_t i = 0; i < n; ++i) moments.mean += at(i);
  moments.mean /= static_cast<long double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const long double off = at(i) - moments.mean;
    moments.squares += off * off;
  }
  return moments;
}

Moments MomentsOf(std::span<const double> sample) {
  return MomentsOf(sample.size(), [&](std::size_t i) { return static_cast<long double>(sample[i]); });
}

long double StandardError(const Moments& moments, std::size_t n) {
  const auto count = static_cast<long double>(n);
  return std::sqrt(moments.squares / (count - 1) / count);
}

// The studentised deviations of `resamples` resamples from the mean, sorted.
std::vector<double> BootstrapT(std::span<const double> sample, long double mean, std::size_t resamples,
                               std::uint64_t seed) {
  // mt19937_64 is defined to the bit by the standard, std::uniform_int_distribution is not.
  std::mt19937_64 random(seed);
  const std::size_t n = sample.size();
  std::vector<double> drawn(n);
  std::vector<double> deviations(resamples);
  for (double& deviation : deviations) {
    for (double& value : drawn) value = sample[((random() >> 32) * n) >> 32];
    // Equal values are told apart by comparison: their mean may be off by a rounding, and the quotient then huge.
    const bool equal = std::all_of(drawn.begin(), drawn.end(), [&](double value) { return value == drawn[0]; });
    const Moments moments = MomentsOf(drawn);
    const long double off = moments.mean - mean;
    if (!equal) {
      deviation = static_cast<double>(off / StandardError(moments, n));
    } else if (static_cast<double>(off) == 0) {
      deviation = 0;
    } else {
      deviation = std::copysign(std::numeric_limits<double>::infinity(), static_cast<double>(off));
    }
  }
  std::sort(deviations.begin(), deviations.end());
  return deviations;
}

}  // namespace

bool IsUsable(std::span<const double> sample) {
  return !sample.empty() &&
         std::all_of(sample.begin(), sample.end(), [](double value) { return std::isfinite(value); });
}

std::optional<double> Mean(std::span<const double> sample) {
  if (!IsUsable(sample)) return std::nullopt;
  return static_cast<double>(MomentsOf(sample).mean);
}

std::optional<double> Median(std::span<const double> sample) {
  if (!IsUsable(sample)) return std::nullopt;
  return MedianOfSorted(Sorted(sample));
}

std::optional<double> Percentile(std::span<const double> sample, double percent) {
  if (!IsUsable(sample) || !(percent >= 0 && percent <= 100)) return std::nullopt;
  const std::vector<double> sorted = Sorted(sample);
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

std::optional<double> StandardDeviation(std::span<const double> sample) {
  if (!IsUsable(sample) || sample.size() < 2) return std::nullopt;
  return static_cast<double>(std::sqrt(MomentsOf(sample).squares / static_cast<long double>(sample.size() - 1)));
}

std::optional<double> MedianAbsoluteDeviation(std::span<const double> sample) {
  const std::optional<double> median = Median(sample);
  if (!median) return std::nullopt;
  std::vector<double> off(sample.begin(), sample.end());
  for (double& value : off) value = std::fabs(value - *median);
  return Median(off);
}

std::optional<double> CoefficientOfVariation(std::span<const double> sample) {
  const std::optional<double> deviation = StandardDeviation(sample);
  if (!deviation) return std::nullopt;
  const double mean = *Mean(sample);
  if (mean == 0) return std::nullopt;
  return *deviation / std::fabs(mean);
}

double OrderStatisticCoverage(std::size_t n, std::size_t k) {
  if (k < 1 || k > n / 2) return 0;
  // By logarithms, because 2^-n underflows for large n.
  long double log_term = -static_cast<long double>(n) * std::log(2.0L);
  long double tail = 0;
  for (std::size_t i = 0; i < k; ++i) {
    tail += std::exp(log_term);
    log_term += std::log(static_cast<long double>(n - i) / static_cast<long double>(i + 1));
  }
  return static_cast<double>(1 - 2 * tail);
}

std::optional<Interval> MedianInterval(std::span<const double> sample, double confidence) {
  if (!IsUsable(sample) || sample.size() < kMinIntervalSamples || !(confidence > 0 && confidence < 1)) {
    return std::nullopt;
  }
  const std::size_t n = sample.size();
  const double wanted = confidence - 1e-12;  // Rounding must not cost an order statistic.
  // Coverage falls as k grows: bisect for the largest k that still reaches the confidence.
  std::size_t good = 0;
  std::size_t bad = n / 2 + 1;
  while (bad - good > 1) {
    const std::size_t k = good + (bad - good) / 2;
    (OrderStatisticCoverage(n, k) >= wanted ? good : bad) = k;
  }
  if (good == 0) return std::nullopt;
  const std::vector<double> sorted = Sorted(sample);
  return Interval{sorted[good - 1], sorted[n - good], OrderStatisticCoverage(n, good), kMedianMethod};
}

std::optional<Interval> MeanInterval(std::span<const double> sample, double confidence, std::uint64_t seed) {
  if (!IsUsable(sample) || sample.size() < kMinIntervalSamples ||
      !(confidence > 0 && confidence <= kMaxMeanConfidence)) {
    return std::nullopt;
  }
  const std::size_t n = sample.size();
  const auto [low, high] = std::minmax_element(sample.begin(), sample.end());
  if (*low == *high) return Interval{*low, *high, confidence, kMeanMethod};
  const Moments moments = MomentsOf(sample);
  const long double error = StandardError(moments, n);
  const std::size_t resamples = std::clamp(kResampleBudget / n, kMinResamples, kResamples);
  const std::vector<double> deviations = BootstrapT(sample, moments.mean, resamples, seed);
  const double tail = static_cast<double>(resamples + 1) * (1 - confidence) / 2;
  const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(tail + 1e-9));
  const double lower = deviations[rank - 1];
  const double upper = deviations[resamples - rank];
  if (!std::isfinite(lower) || !std::isfinite(upper)) return std::nullopt;
  // The upper tail of the deviations gives the lower end, and the other way round.
  return Interval{static_cast<double>(moments.mean - upper * error), static_cast<double>(moments.mean - lower * error),
                  confidence, kMeanMethod};
}

}  // namespace benchwire::statistics
