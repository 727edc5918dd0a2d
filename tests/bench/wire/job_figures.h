// How fast jobs reach a worker and are read.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_JOB_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_JOB_FIGURES_H_

#include <string>

#include "absl/status/statusor.h"
#include "tests/bench/load/figures.h"

namespace benchwire::bench {

// Each takes the gRPC port of a server without queued jobs, and leaves none queued.

// From CreateJob sent to StartAttempt acknowledged, with a worker that waits in LeaseJob.
absl::Status MeasureSubmitToStart(const std::string& port, Report& report);
absl::Status MeasureClaims(const std::string& port, Report& report);
absl::Status MeasureReads(const std::string& port, Report& report);

// A succeeded job with one measurement; see ReportMeasurement.
absl::StatusOr<std::string> MakeMeasuredJob(const std::string& port);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_JOB_FIGURES_H_
