#include "tests/bench/load/bench_main.h"

#include <cstdio>
#include <cstring>
#include <fstream>

#include "absl/synchronization/mutex.h"

namespace benchwire::bench {

int BenchMain(int argc, char** argv, const std::function<absl::Status(const BenchPlace&, Report&)>& measure) {
  // As in the server: Debian's Abseil looks for lock cycles.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const bool with_json = argc == 5 && std::strcmp(argv[3], "--json") == 0;
  if (argc != 3 && !with_json) {
    std::fprintf(stderr, "Usage: %s BINARIES DIRECTORY [--json FILE]\n", argv[0]);
    return 2;
  }
  Report report;
  const absl::Status status = measure({argv[0], argv[1], argv[2]}, report);
  std::fputs(report.Table().c_str(), stdout);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[0], std::string(status.message()).c_str());
    return 1;
  }
  if (!with_json) return 0;
  std::ofstream file(argv[4]);
  file << report.Json() << std::flush;
  if (file) return 0;
  std::fprintf(stderr, "%s: cannot write %s\n", argv[0], argv[4]);
  return 1;
}

absl::StatusOr<std::unique_ptr<Child>> StartServer(const BenchPlace& place, const std::string& data) {
  return Child::Start({place.binaries + "/benchwire-server", "--data", data, "--grpc-port", "0", "--http-port", "0",
                       "--log-level", "warn"},
                      data + ".log");
}

std::string PortOf(const Child& server, const std::string& key) {
  const std::string address = server.Value(key);
  return address.substr(address.rfind(':') + 1);
}

}  // namespace benchwire::bench
