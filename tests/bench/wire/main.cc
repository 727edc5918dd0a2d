// benchwire-bench-wire: starts a server on a new directory and measures what goes over the wire.
#include <cstring>
#include <string>

#include "server/base/status.h"
#include "tests/bench/load/bench_main.h"
#include "tests/bench/load/empty_server.h"
#include "tests/bench/wire/digest_figures.h"
#include "tests/bench/wire/job_figures.h"
#include "tests/bench/wire/submit_figures.h"

namespace benchwire::bench {
namespace {

absl::Status MeasureAll(const BenchPlace& place, Report& report) {
  {
    ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/submit"));
    ASSIGN_OR_RETURN(const auto empty, Child::Start({place.self, "--empty-server"}, place.directory + "/empty.log"));
    RETURN_IF_ERROR(MeasureSubmit({PortOf(*server, "grpc"), empty->Value("grpc")}, place.directory, report));
  }
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/work"));
  const std::string grpc = PortOf(*server, "grpc");
  RETURN_IF_ERROR(MeasureSubmitToStart(grpc, report));
  ASSIGN_OR_RETURN(const std::string job, MakeMeasuredJob(grpc));
  RETURN_IF_ERROR(MeasurePublish(grpc, job, report));
  RETURN_IF_ERROR(MeasureHttp(PortOf(*server, "http"), report));
  RETURN_IF_ERROR(MeasureReads(grpc, report));
  return MeasureClaims(grpc, report);
}

}  // namespace
}  // namespace benchwire::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--empty-server") == 0) return benchwire::bench::RunEmptyServer();
  return benchwire::bench::BenchMain(argc, argv, benchwire::bench::MeasureAll);
}
