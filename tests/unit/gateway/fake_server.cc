#include "tests/unit/gateway/fake_server.h"

#include <chrono>
#include <thread>

namespace benchwire::gateway {
namespace {

using grpc::ServerContext;
using grpc::Status;

constexpr std::chrono::milliseconds kPoll{5};

std::string Metadata(const ServerContext* context, const std::string& key) {
  const auto found = context->client_metadata().find(key);
  return found == context->client_metadata().end() ? "" : std::string(found->second.data(), found->second.size());
}

Status Missing(const std::string& name) { return {grpc::StatusCode::NOT_FOUND, name + " does not exist"}; }

}  // namespace

Status FakeDigests::GetDigest(ServerContext*, const v1::GetDigestRequest* request, v1::Digest* response) {
  ++reads;
  if (request->name() != digest.name()) return Missing(request->name());
  *response = digest;
  if (request->view() == v1::DIGEST_VIEW_DRAFT) response->clear_edition();
  return Status::OK;
}

Status FakeDigests::ListDigests(ServerContext*, const v1::ListDigestsRequest*, v1::ListDigestsResponse* response) {
  v1::Digest* draft = response->add_digests();
  draft->set_name("digests/2026-01-15");
  draft->mutable_title()->set_en("A draft");
  v1::Digest* newest = response->add_digests();
  *newest = digest;
  newest->clear_edition();
  v1::Digest* older = response->add_digests();
  older->set_name("digests/2026-01-13");
  older->mutable_title()->set_zh("昨日：显存带宽");
  older->set_latest_edition(1);
  return Status::OK;
}

Status FakeDigests::GetEdition(ServerContext*, const v1::GetEditionRequest* request, v1::Edition* response) {
  ++reads;
  if (request->name() != digest.edition().name()) return Missing(request->name());
  *response = digest.edition();
  return Status::OK;
}

Status FakeDigests::UpdateEntry(ServerContext*, const v1::UpdateEntryRequest* request, v1::Entry* response) {
  ++writes;
  updated = *request;
  *response = request->entry();
  return Status::OK;
}

Status FakeDigests::DeleteEntry(ServerContext*, const v1::DeleteEntryRequest*, google::protobuf::Empty*) {
  ++writes;
  return Status::OK;
}

Status FakeJobs::CreateJob(ServerContext*, const v1::CreateJobRequest* request, v1::Job* response) {
  ++writes;
  created = *request;
  *response = request->job();
  response->set_name("jobs/new");
  return Status::OK;
}

Status FakeJobs::GetJob(ServerContext* context, const v1::GetJobRequest* request, v1::Job* response) {
  request_id = Metadata(context, "x-request-id");
  for (int waited = 0; waited < slow_ms && !context->IsCancelled(); waited += static_cast<int>(kPoll.count())) {
    std::this_thread::sleep_for(kPoll);
  }
  if (!error.ok()) return error;
  if (request->name() != job.name()) return Missing(request->name());
  *response = job;
  return Status::OK;
}

Status FakeJobs::ListJobs(ServerContext*, const v1::ListJobsRequest* request, v1::ListJobsResponse* response) {
  listed = *request;
  if (request->states().empty()) *response->add_jobs() = job;
  v1::Job* running = response->add_jobs();
  running->set_name("jobs/01kf2running0000000000000a");
  running->set_display_name("P2P 带宽，夜间");
  running->mutable_p2p();
  running->set_state(v1::JOB_STATE_RUNNING);
  running->mutable_progress()->set_fraction(0.42);
  running->mutable_progress()->set_message("bw.unidir.write");
  return Status::OK;
}

Status FakeJobs::CancelJob(ServerContext*, const v1::CancelJobRequest*, v1::Job* response) {
  ++writes;
  *response = job;
  return Status::OK;
}

Status FakeJobs::ListMeasurements(ServerContext*, const v1::ListMeasurementsRequest*,
                                  v1::ListMeasurementsResponse* response) {
  const v1::Digest sample = SampleDigest();
  for (const auto& entry : sample.edition().entries()) {
    for (const auto& claim : entry.claims()) {
      if (claim.evaluation().has_measurement()) *response->add_measurements() = claim.evaluation().measurement();
    }
  }
  v1::Measurement* waived = response->add_measurements();
  waived->set_metric("bandwidth");
  waived->set_case_("bw.peer.read");
  waived->set_status(v1::MEASUREMENT_STATUS_WAIVED);
  waived->set_reason_code("SINGLE_GPU");
  waived->set_reason("there is one GPU");
  return Status::OK;
}

Status FakeJobs::ReadArtifact(ServerContext*, const v1::ReadArtifactRequest* request, v1::ArtifactData* response) {
  if (request->name().ends_with("/0")) return Status(grpc::StatusCode::NOT_FOUND, "no such artifact");
  if (request->offset() >= artifact_lost_from) return Status(grpc::StatusCode::DATA_LOSS, "gone");
  *response->mutable_artifact() = artifact;
  response->set_data(
      artifact_bytes.substr(static_cast<size_t>(request->offset()), static_cast<size_t>(request->max_bytes())));
  response->set_next_offset(request->offset() + static_cast<int64_t>(response->data().size()));
  response->set_end(response->next_offset() == static_cast<int64_t>(artifact_bytes.size()));
  return Status::OK;
}

Status FakeJobs::ReadLog(ServerContext*, const v1::ReadLogRequest* request, v1::LogChunk* response) {
  response->set_data(log.substr(std::min(log.size(), static_cast<size_t>(request->offset()))));
  return Status::OK;
}

Status FakeJobs::WatchLog(ServerContext*, const v1::WatchLogRequest*, grpc::ServerWriter<v1::LogChunk>* writer) {
  for (int i = 0; i < chunks; ++i) {
    v1::LogChunk chunk;
    chunk.set_data(std::string(static_cast<size_t>(chunk_bytes), 'x'));
    chunk.set_next_offset(int64_t{chunk_bytes} * (i + 1));
    if (!writer->Write(chunk)) return Status::CANCELLED;
    ++chunks_sent;
  }
  return Status::OK;
}

Status FakeEvents::WatchEvents(ServerContext* context, const v1::WatchEventsRequest* request,
                               grpc::ServerWriter<v1::Event>* writer) {
  if (request->after_revision() < 0) return {grpc::StatusCode::INVALID_ARGUMENT, "after_revision is negative"};
  int64_t sent = request->has_after_revision() ? request->after_revision() : newest.load();
  for (;;) {
    while (sent < newest) {
      v1::Event event;
      event.set_revision(++sent);
      event.set_type(v1::EVENT_TYPE_UPDATED);
      event.set_resource("jobs/x");
      if (!writer->Write(event)) break;
    }
    if (ends) return end;
    if (context->IsCancelled()) {
      ++cancelled;
      return Status::CANCELLED;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

FakeServer::FakeServer(GatewayOptions options) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.RegisterService(&digests);
  builder.RegisterService(&jobs);
  builder.RegisterService(&events);
  builder.RegisterService(&fleet);
  server = builder.BuildAndStart();
  options.port = 0;
  GatewayDeps deps;
  deps.channel = server->InProcessChannel({});
  deps.metrics_text = [] { return std::string("benchwire_jobs 1\n"); };
  deps.publication_generation = [this] { return generation.load(); };
  auto started = Gateway::Start(options, std::move(deps));
  if (!started.ok()) throw std::runtime_error(std::string(started.status().message()));
  gateway = *std::move(started);
}

FakeServer::~FakeServer() {
  gateway = nullptr;
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
}

}  // namespace benchwire::gateway
