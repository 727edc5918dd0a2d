// benchwire-bench-durable: what durability costs, and how fast the system comes back. Also the runner and the idle
// workers that its figures need.
#include <cstring>
#include <filesystem>

#include "server/base/status.h"
#include "tests/bench/durable/cancel_figures.h"
#include "tests/bench/durable/fleet_figures.h"
#include "tests/bench/durable/idle_workers.h"
#include "tests/bench/durable/recovery_figures.h"
#include "tests/bench/durable/store_figures.h"
#include "tests/bench/durable/telemetry_figures.h"
#include "tests/bench/durable/term_runner.h"
#include "tests/bench/load/bench_main.h"

namespace benchwire::bench {
namespace {

absl::Status MeasureAll(const BenchPlace& place, Report& report) {
  RETURN_IF_ERROR(MeasureStoreSubmit(place, report));
  RETURN_IF_ERROR(MeasureClaimComplete(place, report));
  RETURN_IF_ERROR(MeasurePoints(place, report));
  RETURN_IF_ERROR(MeasureCancel(place, report));
  RETURN_IF_ERROR(MeasureRestart(place, report));
  RETURN_IF_ERROR(MeasureIdleWorkers(place, report));
  return MeasureRequeue(place, report);
}

}  // namespace
}  // namespace benchwire::bench

int main(int argc, char** argv) {
  namespace bench = benchwire::bench;
  if (std::filesystem::path(argv[0]).filename() == bench::kTermRunner) return bench::TermRunnerMain(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], bench::kIdleWorkersFlag) == 0) return bench::RunIdleWorkers(argc, argv);
  return bench::BenchMain(argc, argv, bench::MeasureAll);
}
