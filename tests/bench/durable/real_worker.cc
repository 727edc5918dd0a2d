#include "tests/bench/durable/real_worker.h"

#include <thread>

#include "server/base/status.h"

namespace benchwire::bench {
namespace {

constexpr std::chrono::minutes kPatience{2};

}  // namespace

absl::Status WaitFor(std::chrono::milliseconds every, const std::function<absl::StatusOr<bool>()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    ASSIGN_OR_RETURN(const bool holds, condition());
    if (holds) return absl::OkStatus();
    std::this_thread::sleep_for(every);
  }
  return absl::DeadlineExceededError("what was waited for did not come in two minutes");
}

absl::StatusOr<std::unique_ptr<Child>> StartTermWorker(const BenchPlace& place, const std::string& runners,
                                                       const std::string& port, const std::string& name) {
  return Child::StartSilent({place.binaries + "/benchwire-worker", "--server", "127.0.0.1:" + port, "--name", name,
                             "--runners", runners, "--work-dir", place.directory + "/work", "--log-level", "warn"},
                            place.directory + "/" + name + ".log");
}

}  // namespace benchwire::bench
