// How many points of series are made durable.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_TELEMETRY_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_TELEMETRY_FIGURES_H_

#include "absl/status/status.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// durable.points_per_s.
absl::Status MeasurePoints(const BenchPlace& place, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_TELEMETRY_FIGURES_H_
