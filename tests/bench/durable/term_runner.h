// A runner of kind p2p that says in its log when it is told to stop, by CLOCK_MONOTONIC: `ready`, then
// `term NANOSECONDS`.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_TERM_RUNNER_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_TERM_RUNNER_H_

#include <chrono>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::bench {

// Its name as a file in a worker's directory of runners.
inline constexpr char kTermRunner[] = "benchwire-p2p";

// The whole life of the runner. Returns the exit status.
int TermRunnerMain(int argc, char** argv);

// A directory below `directory` in which this program is the one runner.
absl::StatusOr<std::string> MakeRunnersDirectory(const std::string& directory);

// The time in its log.
absl::StatusOr<std::chrono::nanoseconds> TermTime(const std::string& log);

// CLOCK_MONOTONIC.
std::chrono::nanoseconds MonotonicNow();

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_TERM_RUNNER_H_
