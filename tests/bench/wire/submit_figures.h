// How fast jobs are taken in, against what the transport and the disk would allow.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_

#include <string>

#include "absl/status/status.h"
#include "benchwire/v1/job_service.pb.h"
#include "tests/bench/wire/figures.h"

namespace benchwire::bench {

// A small job that a worker with host memory can run, unlike any other by its request id and seed.
v1::CreateJobRequest SmallJob();

struct SubmitPorts {
  std::string server;  // gRPC ports.
  std::string empty;
};

// `directory` holds the database of bare sqlite3, on the file system of the server's.
absl::Status MeasureSubmit(const SubmitPorts& ports, const std::string& directory, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_
