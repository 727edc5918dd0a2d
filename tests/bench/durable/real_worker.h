// What the figures with real workers share: the worker, a client of its server, and waiting.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_REAL_WORKER_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_REAL_WORKER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/connection.h"
#include "clients/cpp/job_client.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

// A client of the server on this port.
struct ServerJobs {
  explicit ServerJobs(const std::string& port) : connection(OptionsFor(port), clock, random), jobs(connection) {}

  static client::ConnectionOptions OptionsFor(const std::string& port) {
    client::ConnectionOptions options;
    options.server = "127.0.0.1:" + port;
    return options;
  }

  const SystemClock clock;
  SystemRandom random;
  client::Connection connection;
  client::JobClient jobs;
};

// Asks every `every` until the condition holds. DEADLINE_EXCEEDED after two minutes.
absl::Status WaitFor(std::chrono::milliseconds every, const std::function<absl::StatusOr<bool>()>& condition);

// A worker whose one runner is this program, see term_runner.h. `runners` is from MakeRunnersDirectory.
absl::StatusOr<std::unique_ptr<Child>> StartTermWorker(const BenchPlace& place, const std::string& runners,
                                                       const std::string& port, const std::string& name);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_REAL_WORKER_H_
