#include "tests/bench/durable/fleet_figures.h"

#include <fstream>
#include <string>
#include <vector>

#include "benchwire/v1/job_service.grpc.pb.h"
#include "server/base/status.h"
#include "tests/bench/durable/idle_workers.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"

namespace benchwire::bench {
namespace {

constexpr int kProcesses = 2;
constexpr int kWorkersAProcess = 2'500;
constexpr int kFleetRounds = 5;
constexpr int kFleetCalls = 1'000;

absl::StatusOr<double> ResidentMib(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return absl::NotFoundError("no VmRSS of process " + std::to_string(pid));
}

// A job on a server, and calls that read it.
class Probe {
 public:
  explicit Probe(const std::string& port) : stubs_(Connect<v1::JobService>(port, 1)) {}

  absl::Status SetUp() {
    // One that no worker of these could run, so that they stay idle.
    v1::CreateJobRequest request = SmallJob();
    (*request.mutable_job()->mutable_requirements()->mutable_worker_labels())["zone"] = "nowhere";
    grpc::ClientContext context;
    SetDeadline(context);
    v1::Job job;
    RETURN_IF_ERROR(FromGrpc(stubs_[0]->CreateJob(&context, request, &job)));
    request_.set_name(job.name());
    return absl::OkStatus();
  }

  // Milliseconds that the slowest hundredth of the calls takes at least.
  absl::StatusOr<double> P99() {
    std::vector<double> times;
    for (int i = 0; i < kFleetCalls; ++i) {
      grpc::ClientContext context;
      SetDeadline(context);
      v1::Job job;
      const SteadyTime begin = std::chrono::steady_clock::now();
      RETURN_IF_ERROR(FromGrpc(stubs_[0]->GetJob(&context, request_, &job)));
      times.push_back(SecondsSince(begin) * 1e3);
    }
    return Quantile(std::move(times), 0.99);
  }

 private:
  const std::vector<std::unique_ptr<v1::JobService::Stub>> stubs_;
  v1::GetJobRequest request_;
};

}  // namespace

absl::Status MeasureIdleWorkers(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/fleet"));
  ASSIGN_OR_RETURN(const auto empty, StartServer(place, place.directory + "/no_fleet"));
  ASSIGN_OR_RETURN(const double before, ResidentMib(server->pid()));
  std::vector<std::unique_ptr<Child>> fleet;
  for (int i = 0; i < kProcesses; ++i) {
    ASSIGN_OR_RETURN(auto one, Child::Start({place.self, kIdleWorkersFlag, PortOf(*server, "grpc"),
                                             "idle-" + std::to_string(i), std::to_string(kWorkersAProcess)},
                                            place.directory + "/idle.log"));
    fleet.push_back(std::move(one));
  }
  Probe busy(PortOf(*server, "grpc")), quiet(PortOf(*empty, "grpc"));
  RETURN_IF_ERROR(busy.SetUp());
  RETURN_IF_ERROR(quiet.SetUp());
  RETURN_IF_ERROR(busy.P99().status());
  RETURN_IF_ERROR(quiet.P99().status());
  std::vector<double> ratios, references, resident;
  for (int round = 0; round < kFleetRounds; ++round) {
    ASSIGN_OR_RETURN(const double with, busy.P99());
    ASSIGN_OR_RETURN(const double without, quiet.P99());
    ASSIGN_OR_RETURN(const double mib, ResidentMib(server->pid()));
    ratios.push_back(with / without);
    references.push_back(without);
    resident.push_back(mib);
  }
  for (const auto& process : fleet) {
    if (!process->running()) return absl::InternalError("idle workers ended; see idle.log");
  }
  const std::string how = " 5,000 workers, a connection each, in two processes, that wait in LeaseJob and renew";
  report.Add({"durable.idle_workers_rss_mib", "MiB", resident, "resident memory of the server with" + how, "<= 512",
              "the same server without them", before});
  report.Add({"durable.idle_workers_p99_ratio", "1", ratios,
              "p99 of 1,000 GetJob calls one after another with" + how + ", over that of a server without workers",
              "<= 2", "p99 without workers in ms", Median(references)});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
