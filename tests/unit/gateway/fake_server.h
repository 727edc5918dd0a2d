// The services behind the gateway, with answers that a test sets, and a gateway in front. Any thread, but for the
// setters: before the first request.
#ifndef BENCHWIRE_TESTS_UNIT_GATEWAY_FAKE_SERVER_H_
#define BENCHWIRE_TESTS_UNIT_GATEWAY_FAKE_SERVER_H_

#include <benchwire/v1/digest_service.grpc.pb.h>
#include <benchwire/v1/event_service.grpc.pb.h>
#include <benchwire/v1/fleet_service.grpc.pb.h>
#include <benchwire/v1/job_service.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "server/gateway/gateway.h"

namespace benchwire::gateway {

// A digest with one edition: Chinese and English, a supported, a refuted, an inconclusive and an untested claim.
v1::Digest SampleDigest();
// A succeeded job with one attempt.
v1::Job SampleJob();

class FakeDigests final : public v1::DigestService::Service {
 public:
  grpc::Status GetDigest(grpc::ServerContext*, const v1::GetDigestRequest*, v1::Digest*) override;
  grpc::Status ListDigests(grpc::ServerContext*, const v1::ListDigestsRequest*, v1::ListDigestsResponse*) override;
  grpc::Status GetEdition(grpc::ServerContext*, const v1::GetEditionRequest*, v1::Edition*) override;
  grpc::Status UpdateEntry(grpc::ServerContext*, const v1::UpdateEntryRequest*, v1::Entry*) override;
  grpc::Status DeleteEntry(grpc::ServerContext*, const v1::DeleteEntryRequest*, google::protobuf::Empty*) override;

  v1::Digest digest = SampleDigest();
  std::atomic<int> reads = 0;
  v1::UpdateEntryRequest updated;
  std::atomic<int> writes = 0;
};

class FakeJobs final : public v1::JobService::Service {
 public:
  grpc::Status CreateJob(grpc::ServerContext*, const v1::CreateJobRequest*, v1::Job*) override;
  grpc::Status GetJob(grpc::ServerContext*, const v1::GetJobRequest*, v1::Job*) override;
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest*, v1::ListJobsResponse*) override;
  grpc::Status CancelJob(grpc::ServerContext*, const v1::CancelJobRequest*, v1::Job*) override;
  grpc::Status ListMeasurements(grpc::ServerContext*, const v1::ListMeasurementsRequest*,
                                v1::ListMeasurementsResponse*) override;
  grpc::Status ReadLog(grpc::ServerContext*, const v1::ReadLogRequest*, v1::LogChunk*) override;
  grpc::Status WatchLog(grpc::ServerContext*, const v1::WatchLogRequest*, grpc::ServerWriter<v1::LogChunk>*) override;
  grpc::Status ReadArtifact(grpc::ServerContext*, const v1::ReadArtifactRequest*, v1::ArtifactData*) override;

  v1::Job job = SampleJob();
  std::string log = "start\n\x1b[32mok\x1b[0m <script>alert(1)</script>\n";
  v1::Artifact artifact;  // Of ReadArtifact, whatever the name, but NOT_FOUND for `0`.
  std::string artifact_bytes;
  std::atomic<int64_t> artifact_lost_from = INT64_MAX;  // Reading from there on is DATA_LOSS.
  std::atomic<int> writes = 0;
  v1::CreateJobRequest created;
  v1::ListJobsRequest listed;
  std::string request_id;             // As the last GetJob got it.
  grpc::Status error;                 // Answer of GetJob where not OK.
  std::atomic<int> slow_ms = 0;       // GetJob takes so long.
  std::atomic<int> chunks = 3;        // Of WatchLog.
  std::atomic<int> chunk_bytes = 16;  // Of WatchLog.
  std::atomic<int> chunks_sent = 0;
};

class FakeEvents final : public v1::EventService::Service {
 public:
  grpc::Status WatchEvents(grpc::ServerContext*, const v1::WatchEventsRequest*,
                           grpc::ServerWriter<v1::Event>*) override;

  std::atomic<int64_t> newest = 3;  // Events 1 to newest exist.
  std::atomic<bool> ends = false;   // End with `end` after the newest; else wait for more until cancelled.
  grpc::Status end;                 // How.
  std::atomic<int> cancelled = 0;   // Streams that saw their reader go.
};

class FakeFleet final : public v1::FleetService::Service {};

class FakeServer {
 public:
  explicit FakeServer(GatewayOptions options = {});
  ~FakeServer();
  int port() const { return gateway->port(); }

  FakeDigests digests;
  FakeJobs jobs;
  FakeEvents events;
  FakeFleet fleet;
  std::atomic<int64_t> generation = 1;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<Gateway> gateway;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_TESTS_UNIT_GATEWAY_FAKE_SERVER_H_
