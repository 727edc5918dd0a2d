// What the stores take, without RPC: submitting and the whole life of jobs, against bare sqlite3 and against gRPC.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_STORE_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_STORE_FIGURES_H_

#include "absl/status/status.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// durable.submit_ratio.
absl::Status MeasureStoreSubmit(const BenchPlace& place, Report& report);
// durable.claim_complete_ratio, durable.claim_complete_per_s.
absl::Status MeasureClaimComplete(const BenchPlace& place, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_STORE_FIGURES_H_
