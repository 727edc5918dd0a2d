#include "tests/bench/wire/job_figures.h"

#include <future>
#include <thread>

#include "benchwire/v1/job_service.grpc.pb.h"
#include "server/base/status.h"
#include "tests/bench/load/fake_worker.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"

namespace benchwire::bench {
namespace {

constexpr int kRounds = 5;
constexpr int kJobsARound = 200;
constexpr std::chrono::milliseconds kReadRound{500};

using JobStubs = std::vector<std::unique_ptr<v1::JobService::Stub>>;

// A worker of one job at a time, and the client that submits to it.
class OneByOne {
 public:
  explicit OneByOne(const std::string& port)
      : jobs_(Connect<v1::JobService>(port, 1)), agent_(Connect<v1::AgentService>(port, 1)) {}

  absl::Status Register(const std::string& worker) {
    ASSIGN_OR_RETURN(session_, RegisterFakeWorker(*agent_[0], worker));
    return absl::OkStatus();
  }

  struct Run {
    std::string job;
    double milliseconds = 0;  // From CreateJob sent to StartAttempt acknowledged.
  };
  absl::StatusOr<Run> RunJob(bool with_measurement) {
    std::future<absl::StatusOr<SteadyTime>> worker =
        std::async(std::launch::async, [this, with_measurement] { return Serve(with_measurement); });
    std::this_thread::sleep_for(kIdle);  // So that its call waits at the server.
    grpc::ClientContext context;
    SetDeadline(context);
    v1::Job job;
    const SteadyTime sent = std::chrono::steady_clock::now();
    const grpc::Status created = jobs_[0]->CreateJob(&context, SmallJob(), &job);
    ASSIGN_OR_RETURN(const SteadyTime started, worker.get());
    RETURN_IF_ERROR(FromGrpc(created));
    return Run{job.name(), std::chrono::duration<double, std::milli>(started - sent).count()};
  }

 private:
  static constexpr std::chrono::milliseconds kIdle{5};

  // Takes one job to its end. When its start was acknowledged.
  absl::StatusOr<SteadyTime> Serve(bool with_measurement) {
    v1::LeaseJobResponse lease;
    RETURN_IF_ERROR(Call(&v1::AgentService::Stub::LeaseJob, LeaseRequest(session_), lease));
    if (!lease.has_lease()) return absl::InternalError("no job was given");
    const v1::Fence& fence = lease.lease().fence();
    v1::StartAttemptResponse start;
    RETURN_IF_ERROR(Call(&v1::AgentService::Stub::StartAttempt, StartRequest(session_, fence), start));
    const SteadyTime started = std::chrono::steady_clock::now();
    v1::CompleteAttemptRequest complete = CompleteRequest(session_, fence);
    if (with_measurement) {
      RETURN_IF_ERROR(ReportMeasurement(*agent_[0], session_, fence));
      complete.set_last_sequence(1);
    }
    v1::CompleteAttemptResponse completed;
    RETURN_IF_ERROR(Call(&v1::AgentService::Stub::CompleteAttempt, complete, completed));
    return started;
  }

  template <typename Request, typename Response>
  absl::Status Call(grpc::Status (v1::AgentService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    SetDeadline(context);
    return FromGrpc(((*agent_[0]).*method)(&context, request, &response));
  }

  const JobStubs jobs_;
  const AgentStubs agent_;
  std::string session_;
};

absl::Status QueueJobs(const JobStubs& stubs, int jobs) {
  return CallsPerSecond(stubs, &v1::JobService::Stub::PrepareAsyncCreateJob, 64, Times(jobs, SmallJob)).status();
}

std::string Suffix(int in_flight) { return "_" + std::to_string(in_flight); }

}  // namespace

absl::Status MeasureSubmitToStart(const std::string& port, Report& report) {
  OneByOne line(port);
  RETURN_IF_ERROR(line.Register("bench-idle"));
  RETURN_IF_ERROR(line.RunJob(false).status());
  std::vector<double> p50, p99;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> times;
    for (int i = 0; i < kJobsARound; ++i) {
      ASSIGN_OR_RETURN(const OneByOne::Run run, line.RunJob(false));
      times.push_back(run.milliseconds);
    }
    p50.push_back(Quantile(times, 0.5));
    p99.push_back(Quantile(times, 0.99));
  }
  const std::string how =
      "CreateJob sent to StartAttempt acknowledged, a worker waiting in LeaseJob, one job after another; a round is "
      "200 jobs";
  report.Add({"wire.submit_to_start_p99_ms", "ms", p99, how, "< 50", "", 0});
  report.Add({"wire.submit_to_start_p50_ms", "ms", p50, how, "", "", 0});
  return absl::OkStatus();
}

absl::Status MeasureClaims(const std::string& port, Report& report) {
  const JobStubs jobs = Connect<v1::JobService>(port, kConnections);
  const AgentStubs agents = Connect<v1::AgentService>(port, kConnections);
  for (const auto& [workers, count] : {std::pair(1, 200), std::pair(64, 1'500), std::pair(256, 1'500)}) {
    std::vector<std::string> sessions;
    for (int i = 0; i < workers; ++i) {
      const std::string id = "bench-" + std::to_string(workers) + "-" + std::to_string(i);
      ASSIGN_OR_RETURN(std::string session, RegisterFakeWorker(*agents[0], id));
      sessions.push_back(std::move(session));
    }
    std::vector<double> rates;
    for (int round = 0; round < kRounds; ++round) {
      RETURN_IF_ERROR(QueueJobs(jobs, count));
      ASSIGN_OR_RETURN(const double rate, ClaimsPerSecond(agents, sessions, count));
      rates.push_back(rate);
    }
    report.Add({"wire.claim_complete_per_s" + Suffix(workers), "1/s", rates,
                "LeaseJob, StartAttempt and CompleteAttempt of queued jobs by " + std::to_string(workers) +
                    " workers at once, " + std::to_string(count) + " jobs a round",
                workers == 64 ? ">= 2000" : "", "", 0});
  }
  return absl::OkStatus();
}

absl::Status MeasureReads(const std::string& port, Report& report) {
  const JobStubs stubs = Connect<v1::JobService>(port, kConnections);
  v1::ListJobsResponse known;
  const auto list_known = [] {
    v1::ListJobsRequest request;
    request.set_page_size(1'000);
    return request;
  };
  RETURN_IF_ERROR(CallsPerSecond(stubs, &v1::JobService::Stub::PrepareAsyncListJobs, 1, Times(1, list_known),
                                 [&known](const v1::ListJobsResponse& response) { known = response; })
                      .status());
  if (known.jobs().empty()) return absl::InternalError("there are no jobs to read");
  int next = 0;
  const auto get = [&known, &next] {
    v1::GetJobRequest request;
    // A step without a common factor: every job comes, neighbours do not come together.
    request.set_name(known.jobs(static_cast<int>(int64_t{next++} * 7'919 % known.jobs_size())).name());
    return request;
  };
  const auto list = [] {
    v1::ListJobsRequest request;
    request.set_page_size(50);
    return request;
  };
  for (int in_flight : {1, 64, 256}) {
    std::vector<double> gets, lists;
    for (int round = 0; round < kRounds; ++round) {
      ASSIGN_OR_RETURN(const double got, CallsPerSecond(stubs, &v1::JobService::Stub::PrepareAsyncGetJob, in_flight,
                                                        For(kReadRound, get)));
      ASSIGN_OR_RETURN(const double listed, CallsPerSecond(stubs, &v1::JobService::Stub::PrepareAsyncListJobs,
                                                           in_flight, For(kReadRound, list)));
      gets.push_back(got);
      lists.push_back(listed);
    }
    const std::string how = ", " + std::to_string(in_flight) + " in flight over 4 connections";
    report.Add({"wire.get_per_s" + Suffix(in_flight), "1/s", gets, "GetJob of an ended job" + how, "", "", 0});
    report.Add({"wire.list_per_s" + Suffix(in_flight), "1/s", lists, "ListJobs, newest 50" + how, "", "", 0});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> MakeMeasuredJob(const std::string& port) {
  OneByOne line(port);
  RETURN_IF_ERROR(line.Register("bench-measured"));
  ASSIGN_OR_RETURN(const OneByOne::Run run, line.RunJob(true));
  return run.job;
}

}  // namespace benchwire::bench
