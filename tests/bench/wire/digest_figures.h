// How fast digests are published and read.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_DIGEST_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_DIGEST_FIGURES_H_

#include <string>

#include "absl/status/status.h"
#include "tests/bench/load/figures.h"

namespace benchwire::bench {

// PublishDigest with 1 and with 20 entries, each with a claim that `job` tests (see MakeMeasuredJob), through the
// server's gRPC port. Leaves `digests/2026-01-01` published with one entry.
absl::Status MeasurePublish(const std::string& grpc_port, const std::string& job, Report& report);
// GET of that digest, by wrk.
absl::Status MeasureHttp(const std::string& http_port, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_DIGEST_FIGURES_H_
