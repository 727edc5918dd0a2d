// The job that benches submit, and what the server stores for it.
#ifndef BENCHWIRE_TESTS_BENCH_LOAD_SMALL_JOB_H_
#define BENCHWIRE_TESTS_BENCH_LOAD_SMALL_JOB_H_

#include "absl/status/statusor.h"
#include "benchwire/v1/job_service.pb.h"
#include "tests/bench/load/sqlite_floor.h"

namespace benchwire::bench {

// A small job that a worker with host memory can run, unlike any other by its request id and seed.
v1::CreateJobRequest SmallJob();

// What the server stores for a job, from what it answered.
absl::StatusOr<JobRow> RowOf(v1::Job job);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_LOAD_SMALL_JOB_H_
