// How fast jobs are taken in, against what the transport and the disk would allow.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_

#include <string>

#include "absl/status/status.h"
#include "tests/bench/load/figures.h"

namespace benchwire::bench {

struct SubmitPorts {
  std::string server;  // gRPC ports.
  std::string empty;
};

// `directory` holds the database of bare sqlite3, on the file system of the server's.
absl::Status MeasureSubmit(const SubmitPorts& ports, const std::string& directory, Report& report);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_SUBMIT_FIGURES_H_
