#include <benchwire/v1/event_service.grpc.pb.h>
#include <benchwire/v1/fleet_service.grpc.pb.h>
#include <benchwire/v1/job_service.grpc.pb.h>

#include <optional>

#include "tests/fakes/fake_call.h"

namespace benchwire {
namespace {

bool Ended(v1::JobState state) { return state >= v1::JOB_STATE_SUCCEEDED; }

struct Jobs final : v1::JobService::Service {
  explicit Jobs(FakeServer& of) : owner(of) {}

  grpc::Status CreateJob(grpc::ServerContext* context, const v1::CreateJobRequest* request,
                         v1::Job* response) override {
    return FakeCall::Unary(owner, context, "CreateJob", [&](FakeState& state) {
      const auto known = state.created.find(request->request_id());
      if (!request->request_id().empty() && known != state.created.end()) {
        *response = *state.FindJob(known->second);
        return absl::OkStatus();
      }
      v1::Job job = request->job();
      job.set_name("jobs/0fake" + std::to_string(state.jobs.size() + 1));
      job.set_state(v1::JOB_STATE_QUEUED);
      if (!job.has_seed()) job.set_seed(7);
      *job.mutable_create_time() = FakeNow();
      if (state.on_create) state.on_create(job);
      state.created[request->request_id()] = job.name();
      state.creates[request->request_id()] = *request;
      state.jobs.push_back(job);
      state.AddEvent(job.name(), v1::EVENT_TYPE_CREATED, v1::JobState_Name(job.state()));
      *response = job;
      return absl::OkStatus();
    });
  }

  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* response) override {
    return FakeCall::Unary(owner, context, "GetJob", [&](FakeState& state) {
      const v1::Job* job = state.FindJob(request->name());
      if (job == nullptr) return NotFound(request->name());
      *response = *job;
      return absl::OkStatus();
    });
  }

  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    return FakeCall::Unary(owner, context, "ListJobs", [&](FakeState& state) {
      std::vector<v1::Job> found;
      for (auto job = state.jobs.rbegin(); job != state.jobs.rend(); ++job) {
        const bool fits = request->states().empty() || std::find(request->states().begin(), request->states().end(),
                                                                 job->state()) != request->states().end();
        if (fits) found.push_back(*job);
      }
      // Small pages, so that every list is paged.
      Page(found, std::min(request->page_size(), 10), request->page_token(), *response,
           [&](const v1::Job& job) { *response->add_jobs() = job; });
      return absl::OkStatus();
    });
  }

  grpc::Status CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                         v1::Job* response) override {
    return FakeCall::Unary(owner, context, "CancelJob", [&](FakeState& state) {
      v1::Job* job = state.FindJob(request->name());
      if (job == nullptr) return NotFound(request->name());
      if (Ended(job->state()) && job->state() != v1::JOB_STATE_CANCELLED) {
        return Precondition("ALREADY_TERMINAL", request->name() + " has ended");
      }
      state.SetJobState(request->name(), v1::JOB_STATE_CANCELLED);
      job->mutable_reason()->set_code("CANCELLED");
      job->mutable_reason()->set_message(request->reason());
      *response = *job;
      return absl::OkStatus();
    });
  }

  grpc::Status RetryJob(grpc::ServerContext* context, const v1::RetryJobRequest* request, v1::Job* response) override {
    return FakeCall::Unary(owner, context, "RetryJob", [&](FakeState& state) {
      const v1::Job* old = state.FindJob(request->name());
      if (old == nullptr) return NotFound(request->name());
      if (!Ended(old->state())) return Precondition("NOT_TERMINAL", request->name() + " has not ended");
      v1::Job job = *old;
      job.set_retry_of(old->name());
      job.set_name("jobs/0fake" + std::to_string(state.jobs.size() + 1));
      state.jobs.push_back(job);
      *response = job;
      return absl::OkStatus();
    });
  }

  grpc::Status ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                          v1::JobExplanation* response) override {
    return FakeCall::Unary(owner, context, "ExplainJob", [&](FakeState& state) {
      const auto found = state.explanations.find(request->name());
      if (found == state.explanations.end()) return NotFound(request->name());
      *response = found->second;
      return absl::OkStatus();
    });
  }

  grpc::Status ListMeasurements(grpc::ServerContext* context, const v1::ListMeasurementsRequest* request,
                                v1::ListMeasurementsResponse* response) override {
    return FakeCall::Unary(owner, context, "ListMeasurements", [&](FakeState& state) {
      const auto rows = state.measurements.find(request->parent());
      if (rows == state.measurements.end()) return NotFound(request->parent());
      Page(rows->second, 3, request->page_token(), *response,
           [&](const v1::Measurement& row) { *response->add_measurements() = row; });
      return absl::OkStatus();
    });
  }

  grpc::Status ListSeries(grpc::ServerContext* context, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    return FakeCall::Unary(owner, context, "ListSeries", [&](FakeState& state) {
      for (const v1::SeriesData& data : state.series[request->parent()]) *response->add_series() = data.series();
      return absl::OkStatus();
    });
  }

  // Buckets are as many as there are points, or one.
  grpc::Status GetSeries(grpc::ServerContext* context, const v1::GetSeriesRequest* request,
                         v1::SeriesData* response) override {
    return FakeCall::Unary(owner, context, "GetSeries", [&](FakeState& state) -> absl::Status {
      const std::string attempt = request->name().substr(0, request->name().find("/series/"));
      for (const v1::SeriesData& data : state.series[attempt]) {
        if (data.series().name() != request->name()) continue;
        *response = data;
        response->clear_points();
        for (const v1::SeriesPoint& point : data.points()) {
          const bool early = point.step() < request->first_step();
          const bool late = request->last_step() > 0 && point.step() > request->last_step();
          if (!early && !late) *response->add_points() = point;
        }
        if (request->max_buckets() == 1) {
          response->mutable_points()->DeleteSubrange(1, response->points_size() - 2);
        } else if (request->max_buckets() == 0 && response->points_size() > state.series_limit) {
          return MakeError(absl::StatusCode::kResourceExhausted, "TOO_MANY_POINTS", "too many points");
        }
        return absl::OkStatus();
      }
      return NotFound(request->name());
    });
  }

  grpc::Status ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                       v1::LogChunk* response) override {
    return FakeCall::Unary(owner, context, "ReadLog", [&](FakeState& state) {
      const auto log = state.logs.find(request->name());
      if (log == state.logs.end()) return NotFound(request->name());
      response->set_data(log->second.bytes.substr(static_cast<size_t>(request->offset()), state.chunk));
      response->set_next_offset(request->offset() + static_cast<int64_t>(response->data().size()));
      response->set_end(log->second.ended && response->next_offset() == static_cast<int64_t>(log->second.bytes.size()));
      return absl::OkStatus();
    });
  }

  grpc::Status WatchLog(grpc::ServerContext* context, const v1::WatchLogRequest* request,
                        grpc::ServerWriter<v1::LogChunk>* writer) override {
    size_t offset = static_cast<size_t>(request->offset());
    return FakeCall::Stream(owner, context, "WatchLog", [&](FakeState& state) -> absl::StatusOr<bool> {
      const auto log = state.logs.find(request->name());
      if (log == state.logs.end()) return NotFound(request->name());
      while (offset < log->second.bytes.size()) {
        v1::LogChunk chunk;
        chunk.set_data(log->second.bytes.substr(offset, state.chunk));
        offset += chunk.data().size();
        chunk.set_next_offset(static_cast<int64_t>(offset));
        if (!writer->Write(chunk)) return true;
      }
      return log->second.ended;
    });
  }

  FakeServer& owner;
};

struct Fleet final : v1::FleetService::Service {
  explicit Fleet(FakeServer& of) : owner(of) {}
  grpc::Status Set(grpc::ServerContext* context, const std::string& method, const std::string& name, v1::WorkerState to,
                   v1::Worker* response) {
    return FakeCall::Unary(owner, context, method, [&](FakeState& state) {
      const auto worker = state.workers.find(name);
      if (worker == state.workers.end()) return NotFound(name);
      if (to != v1::WORKER_STATE_UNSPECIFIED) worker->second.set_state(to);
      *response = worker->second;
      return absl::OkStatus();
    });
  }
  grpc::Status GetWorker(grpc::ServerContext* context, const v1::GetWorkerRequest* request,
                         v1::Worker* response) override {
    return Set(context, "GetWorker", request->name(), v1::WORKER_STATE_UNSPECIFIED, response);
  }
  grpc::Status DrainWorker(grpc::ServerContext* context, const v1::DrainWorkerRequest* request,
                           v1::Worker* response) override {
    return Set(context, "DrainWorker", request->name(), v1::WORKER_STATE_DRAINING, response);
  }
  grpc::Status ResumeWorker(grpc::ServerContext* context, const v1::ResumeWorkerRequest* request,
                            v1::Worker* response) override {
    return Set(context, "ResumeWorker", request->name(), v1::WORKER_STATE_ONLINE, response);
  }
  grpc::Status ListWorkers(grpc::ServerContext* context, const v1::ListWorkersRequest* request,
                           v1::ListWorkersResponse* response) override {
    return FakeCall::Unary(owner, context, "ListWorkers", [&](FakeState& state) {
      Page(Values(state.workers), 2, request->page_token(), *response,
           [&](const v1::Worker& worker) { *response->add_workers() = worker; });
      return absl::OkStatus();
    });
  }
  FakeServer& owner;
};

struct Events final : v1::EventService::Service {
  explicit Events(FakeServer& of) : owner(of) {}
  grpc::Status WatchEvents(grpc::ServerContext* context, const v1::WatchEventsRequest* request,
                           grpc::ServerWriter<v1::Event>* writer) override {
    std::optional<size_t> seen;
    if (request->has_after_revision()) seen = static_cast<size_t>(request->after_revision());
    return FakeCall::Stream(owner, context, "WatchEvents", [&](FakeState& state) -> absl::StatusOr<bool> {
      if (!seen) seen = state.events.size();
      for (; *seen < state.events.size(); ++*seen) {
        const v1::Event& event = state.events[*seen];
        if (event.resource().rfind(request->resource_prefix(), 0) == 0 && !writer->Write(event)) return true;
      }
      return false;
    });
  }
  FakeServer& owner;
};

}  // namespace

std::unique_ptr<grpc::Service> NewFakeJobService(FakeServer& owner) { return std::make_unique<Jobs>(owner); }
std::unique_ptr<grpc::Service> NewFakeFleetService(FakeServer& owner) { return std::make_unique<Fleet>(owner); }
std::unique_ptr<grpc::Service> NewFakeEventService(FakeServer& owner) { return std::make_unique<Events>(owner); }

}  // namespace benchwire
