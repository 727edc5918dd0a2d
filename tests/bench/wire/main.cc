// benchwire-bench-wire: starts a server on a new directory and measures what goes over the wire.
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/synchronization/mutex.h"
#include "server/base/status.h"
#include "tests/bench/wire/child.h"
#include "tests/bench/wire/digest_figures.h"
#include "tests/bench/wire/empty_server.h"
#include "tests/bench/wire/job_figures.h"
#include "tests/bench/wire/submit_figures.h"

namespace benchwire::bench {
namespace {

constexpr char kUsage[] =
    "Usage: benchwire-bench-wire SERVER DIRECTORY [--json FILE]\n"
    "\n"
    "  SERVER     benchwire-server to measure\n"
    "  DIRECTORY  an empty directory for its data and the logs\n"
    "  --json     write the figures there as well\n";

absl::StatusOr<std::unique_ptr<Child>> StartServer(const std::string& server, const std::string& data) {
  return Child::Start({server, "--data", data, "--grpc-port", "0", "--http-port", "0", "--log-level", "warn"},
                      data + ".log");
}

absl::Status MeasureAll(const std::string& self, const std::string& server, const std::string& directory,
                        Report& report) {
  {
    ASSIGN_OR_RETURN(const auto child, StartServer(server, directory + "/submit"));
    ASSIGN_OR_RETURN(const auto empty, Child::Start({self, "--empty-server"}, directory + "/empty.log"));
    const std::string address = child->Value("grpc");
    RETURN_IF_ERROR(MeasureSubmit({address.substr(address.rfind(':') + 1), empty->Value("grpc")}, directory, report));
  }
  ASSIGN_OR_RETURN(const auto child, StartServer(server, directory + "/work"));
  const auto port = [&child](const std::string& key) {
    const std::string address = child->Value(key);
    return address.substr(address.rfind(':') + 1);
  };
  RETURN_IF_ERROR(MeasureSubmitToStart(port("grpc"), report));
  ASSIGN_OR_RETURN(const std::string job, MakeMeasuredJob(port("grpc")));
  RETURN_IF_ERROR(MeasurePublish(port("grpc"), job, report));
  RETURN_IF_ERROR(MeasureHttp(port("http"), report));
  RETURN_IF_ERROR(MeasureReads(port("grpc"), report));
  return MeasureClaims(port("grpc"), report);
}

int Main(int argc, char** argv) {
  // As in the server: Debian's Abseil looks for lock cycles.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  if (argc == 2 && std::strcmp(argv[1], "--empty-server") == 0) return RunEmptyServer();
  const bool with_json = argc == 5 && std::strcmp(argv[3], "--json") == 0;
  if (argc != 3 && !with_json) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Report report;
  const absl::Status status = MeasureAll(argv[0], argv[1], argv[2], report);
  std::fputs(report.Table().c_str(), stdout);
  if (!status.ok()) {
    std::fprintf(stderr, "benchwire-bench-wire: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  if (!with_json) return 0;
  std::ofstream file(argv[4]);
  file << report.Json() << std::flush;
  if (file) return 0;
  std::fprintf(stderr, "benchwire-bench-wire: cannot write %s\n", argv[4]);
  return 1;
}

}  // namespace
}  // namespace benchwire::bench

int main(int argc, char** argv) { return benchwire::bench::Main(argc, argv); }
