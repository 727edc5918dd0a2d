#include "workers/p2p/sampler.h"

#include <algorithm>
#include <cmath>

namespace benchwire::p2p {
namespace {

// Repeats grow at most this much a step, because the first operations of all are often slow or cached.
constexpr double kGrowth = 16;

// The repeats that fill `wanted` seconds, found by trying.
kit::Result<std::int64_t, Refusal> Calibrate(Point& point, double wanted, const StopCheck& stop) {
  std::int64_t repeats = 1;
  while (repeats < point.max_repeats()) {
    const kit::Result<double, Refusal> seconds = point.Rehearse(repeats, stop);
    if (!seconds.ok()) return seconds.error();
    if (*seconds >= wanted) break;
    const double factor = *seconds > 0 ? std::min(kGrowth, 1.1 * wanted / *seconds) : kGrowth;
    const double next = std::ceil(static_cast<double>(repeats) * std::max(factor, 1.05));
    repeats = static_cast<std::int64_t>(std::min(next, static_cast<double>(point.max_repeats())));
  }
  return repeats;
}

void Add(const Sample& sample, Series* series) {
  if (sample.overlap) series->least_overlap = std::min(series->least_overlap.value_or(1), *sample.overlap);
  if (!series->first_bad) series->first_bad = sample.first_bad;
  for (std::size_t i = 0; i < series->rows.size(); ++i) {
    series->rows[i].verified_bytes += sample.rows[i].verified_bytes;
    series->rows[i].mismatched_bytes += sample.rows[i].mismatched_bytes;
  }
  if (!sample.rejected.empty()) {
    ++series->rejected;
    series->rejected_because = sample.rejected;
    return;
  }
  for (std::size_t i = 0; i < series->rows.size(); ++i) series->rows[i].values.push_back(sample.rows[i].value);
}

}  // namespace

Refusal StopRefusal(Stop stop) {
  if (stop == Stop::kCancelled) return {kit::RowStatus::kError, "CANCELLED", "the run was cancelled"};
  return {kit::RowStatus::kTimeout, "TIMEOUT", "the pair's deadline passed"};
}

std::int64_t Series::mismatched_bytes() const {
  std::int64_t sum = 0;
  for (const RowSeries& row : rows) sum += row.mismatched_bytes;
  return sum;
}

Series TakeSamples(Point& point, const Spec& spec, const StopCheck& stop, const OnSample& on_sample) {
  Series series;
  for (const kit::Labels& labels : point.rows()) series.rows.push_back({labels, {}, 0, 0});
  if (spec.warmup > 0) {
    const std::int64_t copies = std::min(spec.warmup, point.max_repeats());
    if (const auto warm = point.Rehearse(copies, stop); !warm.ok()) series.ended = warm.error();
  }
  if (!series.ended && spec.min_sample_time.count() > 0) {
    const double wanted = std::chrono::duration<double>(spec.min_sample_time).count();
    const kit::Result<std::int64_t, Refusal> repeats = Calibrate(point, wanted, stop);
    if (repeats.ok()) {
      series.repeats = *repeats;
    } else {
      series.ended = repeats.error();
    }
  }
  for (std::int64_t index = 0; index < spec.samples && !series.ended; ++index) {
    if (const Stop why = stop(); why != Stop::kNone) {
      series.ended = StopRefusal(why);
      break;
    }
    const kit::Result<Sample, Refusal> sample = point.Take(index, series.repeats, stop);
    if (!sample.ok()) {
      series.ended = sample.error();
      break;
    }
    Add(*sample, &series);
    if (!on_sample(series, index, sample->rejected.empty())) break;
  }
  return series;
}

}  // namespace benchwire::p2p
