#include "tests/bench/wire/submit_figures.h"

#include <algorithm>

#include "benchwire/v1/fleet_service.grpc.pb.h"
#include "benchwire/v1/job_service.grpc.pb.h"
#include "server/base/status.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"
#include "tests/bench/load/sqlite_floor.h"

namespace benchwire::bench {
namespace {

constexpr int kInFlight = 64;
constexpr int kSubmitRounds = 7;
constexpr std::chrono::milliseconds kSubmitRound{1'000};
constexpr std::chrono::milliseconds kWarmUp{500};

class SubmitLoad {
 public:
  SubmitLoad(const SubmitPorts& ports, SqliteFloor& floor)
      : jobs_(Connect<v1::JobService>(ports.server, kConnections)),
        empty_(Connect<v1::FleetService>(ports.empty, kConnections)),
        floor_(floor) {}

  absl::StatusOr<double> Submit(std::chrono::milliseconds duration) {
    return CallsPerSecond(jobs_, &v1::JobService::Stub::PrepareAsyncCreateJob, kInFlight, For(duration, SmallJob),
                          [this](const v1::Job& job) { job_ = job; });
  }
  absl::StatusOr<double> Empty(std::chrono::milliseconds duration) {
    return CallsPerSecond(empty_, &v1::FleetService::Stub::PrepareAsyncGetWorker, kInFlight,
                          For(duration, [] { return v1::GetWorkerRequest(); }));
  }
  // After a Submit: it writes the row of its last job.
  absl::StatusOr<double> Bare(std::chrono::milliseconds duration) {
    ASSIGN_OR_RETURN(const JobRow row, RowOf(job_));
    return floor_.PerSecond(row, kInFlight, duration);
  }

 private:
  const std::vector<std::unique_ptr<v1::JobService::Stub>> jobs_;
  const std::vector<std::unique_ptr<v1::FleetService::Stub>> empty_;
  SqliteFloor& floor_;
  v1::Job job_;
};

}  // namespace

absl::Status MeasureSubmit(const SubmitPorts& ports, const std::string& directory, Report& report) {
  ASSIGN_OR_RETURN(const auto floor, SqliteFloor::Open(directory + "/bare.db"));
  SubmitLoad load(ports, *floor);
  RETURN_IF_ERROR(load.Submit(kWarmUp).status());
  RETURN_IF_ERROR(load.Empty(kWarmUp).status());
  RETURN_IF_ERROR(load.Bare(kWarmUp).status());
  std::vector<double> submits, empties, bares, ratios;
  for (int round = 0; round < kSubmitRounds; ++round) {
    ASSIGN_OR_RETURN(const double submit, load.Submit(kSubmitRound));
    ASSIGN_OR_RETURN(const double empty, load.Empty(kSubmitRound));
    ASSIGN_OR_RETURN(const double bare, load.Bare(kSubmitRound));
    submits.push_back(submit);
    empties.push_back(empty);
    bares.push_back(bare);
    ratios.push_back(submit / std::min(empty, bare));
  }
  const bool disk = Median(bares) < Median(empties);
  const std::string reference = disk ? "wire.bare_sqlite_per_s" : "wire.empty_call_per_s";
  const double rate = disk ? Median(bares) : Median(empties);
  report.Add({"wire.submit_ratio", "1", ratios,
              "CreateJob rate over the lower of empty call and bare sqlite3 rate of the same round, 64 in flight", "",
              reference, rate});
  report.Add({"wire.submit_per_s", "1/s", submits,
              "CreateJob of distinct small p2p jobs, 64 in flight over 4 connections, synchronous=FULL", "", reference,
              rate});
  report.Add({"wire.empty_call_per_s", "1/s", empties,
              "a method that does nothing, on a server set up alike, with the client of wire.submit_per_s", "", "", 0});
  report.Add({"wire.bare_sqlite_per_s", "1/s", bares,
              "job, request and event row through sqlite3, 64 producers, one writer with group commit, "
              "synchronous=FULL",
              "", "", 0});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
