// How soon a runner hears that its job was cancelled.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_CANCEL_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_CANCEL_FIGURES_H_

#include "absl/status/status.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// durable.cancel_p99_ms, with a real worker.
absl::Status MeasureCancel(const BenchPlace& place, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_CANCEL_FIGURES_H_
