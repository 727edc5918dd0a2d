// The worker's side of AgentService, without a runner: what a machine that ends every job at once would send.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_FAKE_WORKER_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_FAKE_WORKER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "benchwire/v1/agent_service.grpc.pb.h"

namespace benchwire::bench {

using AgentStubs = std::vector<std::unique_ptr<v1::AgentService::Stub>>;

// The session of a newly registered worker that offers p2p on host memory.
absl::StatusOr<std::string> RegisterFakeWorker(v1::AgentService::Stub& stub, const std::string& id);

// The requests it sends, in this order for each job.
v1::LeaseJobRequest LeaseRequest(const std::string& session);
v1::StartAttemptRequest StartRequest(const std::string& session, const v1::Fence& fence);
v1::CompleteAttemptRequest CompleteRequest(const std::string& session, const v1::Fence& fence);

// Reports one measurement `bandwidth` of case `bw.unidir.write` in B/s with 20 samples as batch 1, and waits until it
// is acknowledged.
absl::Status ReportMeasurement(v1::AgentService::Stub& stub, const std::string& session, const v1::Fence& fence);

// Jobs leased, started and completed a second by one worker for each of `sessions`, all at once, where `jobs` jobs that
// each could run are queued.
absl::StatusOr<double> ClaimsPerSecond(const AgentStubs& stubs, const std::vector<std::string>& sessions, int jobs);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_FAKE_WORKER_H_
