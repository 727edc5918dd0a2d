// What the figures with real workers ask of a server about their jobs.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_JOB_CLIENT_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_JOB_CLIENT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "benchwire/v1/job_service.grpc.pb.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {

class JobClient {
 public:
  explicit JobClient(const std::string& port);

  absl::StatusOr<std::string> Create(const v1::CreateJobRequest& request);
  absl::StatusOr<v1::Job> Get(const std::string& name);
  absl::Status Cancel(const std::string& name);
  // Of its first attempt.
  absl::StatusOr<std::string> Log(const std::string& name);
  // Asks every `every` until the condition holds. DEADLINE_EXCEEDED after two minutes.
  absl::Status WaitFor(std::chrono::milliseconds every, const std::function<absl::StatusOr<bool>()>& condition);

 private:
  const std::unique_ptr<v1::JobService::Stub> stub_;
};

// A worker whose one runner is this program, see term_runner.h. `runners` is from MakeRunnersDirectory.
absl::StatusOr<std::unique_ptr<Child>> StartTermWorker(const BenchPlace& place, const std::string& runners,
                                                       const std::string& port, const std::string& name);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_JOB_CLIENT_H_
