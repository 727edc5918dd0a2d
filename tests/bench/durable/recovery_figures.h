// How soon the system is back after a worker or the server was killed.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_RECOVERY_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_RECOVERY_FIGURES_H_

#include "absl/status/status.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// durable.requeue_s.
absl::Status MeasureRequeue(const BenchPlace& place, Report& report);
// durable.recovery_restart_s.
absl::Status MeasureRestart(const BenchPlace& place, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_RECOVERY_FIGURES_H_
