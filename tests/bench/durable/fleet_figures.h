// A server with very many workers that have nothing to do.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_FLEET_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_FLEET_FIGURES_H_

#include "absl/status/status.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// durable.idle_workers_rss_mib, durable.idle_workers_p99_ratio.
absl::Status MeasureIdleWorkers(const BenchPlace& place, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_FLEET_FIGURES_H_
