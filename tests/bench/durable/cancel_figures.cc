#include "tests/bench/durable/cancel_figures.h"

#include <string>
#include <vector>

#include "server/base/status.h"
#include "tests/bench/durable/real_worker.h"
#include "tests/bench/durable/term_runner.h"
#include "tests/bench/load/small_job.h"

namespace benchwire::bench {
namespace {

constexpr int kCancelRounds = 5;
constexpr int kCancelsARound = 40;
constexpr std::chrono::milliseconds kCancelLook{10};

// Milliseconds from the call of CancelJob to the signal at the runner.
absl::StatusOr<double> CancelOne(client::JobClient& jobs) {
  ASSIGN_OR_RETURN(const v1::Job created, jobs.Create(SmallJob()));
  const std::string& job = created.name();
  RETURN_IF_ERROR(WaitFor(kCancelLook, [&]() -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const v1::Job now, jobs.Get(job));
    if (now.state() != v1::JOB_STATE_RUNNING) return false;
    ASSIGN_OR_RETURN(const v1::LogChunk log, jobs.ReadLog(job + "/attempts/1", 0));
    return !log.data().empty();
  }));
  const std::chrono::nanoseconds asked = MonotonicNow();
  RETURN_IF_ERROR(jobs.Cancel(job, "").status());
  RETURN_IF_ERROR(WaitFor(kCancelLook, [&]() -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const v1::Job now, jobs.Get(job));
    return now.state() == v1::JOB_STATE_CANCELLED;
  }));
  ASSIGN_OR_RETURN(const v1::LogChunk log, jobs.ReadLog(job + "/attempts/1", 0));
  ASSIGN_OR_RETURN(const std::chrono::nanoseconds told, TermTime(log.data()));
  return std::chrono::duration<double, std::milli>(told - asked).count();
}

}  // namespace

absl::Status MeasureCancel(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/cancel"));
  ASSIGN_OR_RETURN(const std::string runners, MakeRunnersDirectory(place.directory));
  ASSIGN_OR_RETURN(const auto worker, StartTermWorker(place, runners, PortOf(*server, "grpc"), "cancel"));
  ServerJobs client(PortOf(*server, "grpc"));
  RETURN_IF_ERROR(CancelOne(client.jobs).status());
  std::vector<double> p50, p99;
  for (int round = 0; round < kCancelRounds; ++round) {
    std::vector<double> times;
    for (int i = 0; i < kCancelsARound; ++i) {
      ASSIGN_OR_RETURN(const double time, CancelOne(client.jobs));
      times.push_back(time);
    }
    p50.push_back(Quantile(times, 0.5));
    p99.push_back(Quantile(times, 0.99));
  }
  const std::string how =
      "CancelJob called to SIGTERM at the runner of a real worker, one job after another; a round is 40 jobs";
  report.Add({"durable.cancel_p99_ms", "ms", p99, how, "<= 200", "", 0});
  report.Add({"durable.cancel_p50_ms", "ms", p50, how, "", "", 0});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
