// What every bench program does around its measuring: its arguments, the table for people, the JSON for scripts.
#ifndef BENCHWIRE_TESTS_BENCH_LOAD_BENCH_MAIN_H_
#define BENCHWIRE_TESTS_BENCH_LOAD_BENCH_MAIN_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tests/bench/load/child.h"
#include "tests/bench/load/figures.h"

namespace benchwire::bench {

struct BenchPlace {
  std::string self;       // This program.
  std::string binaries;   // Directory of the programs to measure.
  std::string directory;  // Empty, for data and logs.
};

// `PROGRAM BINARIES DIRECTORY [--json FILE]`. The exit status.
int BenchMain(int argc, char** argv, const std::function<absl::Status(const BenchPlace&, Report&)>& measure);

// A server on the new or kept directory `data`, with its log beside it.
absl::StatusOr<std::unique_ptr<Child>> StartServer(const BenchPlace& place, const std::string& data);
// Of a server: `grpc` or `http`.
std::string PortOf(const Child& server, const std::string& key);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_LOAD_BENCH_MAIN_H_
