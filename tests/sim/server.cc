#include "tests/sim/server.h"

#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::sim {

// The main store as one life of the server sees it.
class Server::FailingStore final : public storage::Store {
 public:
  FailingStore(World& world, Server& server, storage::Store& inner, Life& life)
      : world_(world), server_(server), inner_(inner), life_(life) {}

  absl::Status Read(const storage::ReadFunction& function) const override {
    return life_.alive ? inner_.Read(function) : Dead();
  }
  void WriteAsync(storage::WriteFunction function, storage::WriteCallback done) override {
    if (!life_.alive) return done(Dead());
    if (world_.Chance(world_.faults().fail_write)) {
      return done(MakeError(absl::StatusCode::kResourceExhausted, "DISK_FULL", "no space left"));
    }
    if (world_.Chance(world_.faults().crash_before)) {
      server_.Crash();
      return done(Dead());
    }
    inner_.WriteAsync(std::move(function), [&](const absl::Status& status) {
      if (status.ok() && world_.Chance(world_.faults().crash_after)) {
        server_.Crash();
        return done(Dead());
      }
      done(status);
    });
  }

 private:
  static absl::Status Dead() { return absl::UnavailableError("the process is dead"); }

  World& world_;
  Server& server_;
  storage::Store& inner_;
  Life& life_;
};

// The telemetry store likewise.
class Server::FailingTelemetry final : public storage::TelemetryStore {
 public:
  FailingTelemetry(World& world, storage::TelemetryStore& inner, Life& life)
      : world_(world), inner_(inner), life_(life) {}

  void AppendAsync(storage::TelemetryBatch batch,
                   std::function<void(absl::StatusOr<storage::TelemetryCursor>)> done) override {
    if (!life_.alive || world_.Chance(world_.faults().fail_write)) return done(absl::UnavailableError("not stored"));
    inner_.AppendAsync(std::move(batch), std::move(done));
  }
  void EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) override {
    inner_.EndAttemptAsync(attempt, std::move(done));
  }
  absl::StatusOr<storage::TelemetryCursor> GetCursor(const AttemptId& attempt) const override {
    return inner_.GetCursor(attempt);
  }
  absl::StatusOr<std::string> ReadLog(const AttemptId& attempt, int64_t offset, int64_t limit) const override {
    return inner_.ReadLog(attempt, offset, limit);
  }
  absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& attempt) const override {
    return inner_.ListSeries(attempt);
  }
  absl::StatusOr<storage::SeriesPoints> ReadSeries(const storage::SeriesQuery& query) const override {
    return inner_.ReadSeries(query);
  }
  absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts(const AttemptId& attempt) const override {
    return inner_.ListArtifacts(attempt);
  }
  absl::StatusOr<v1::ArtifactData> ReadArtifact(const ArtifactId& id, int64_t offset, int64_t limit) const override {
    return inner_.ReadArtifact(id, offset, limit);
  }

 private:
  World& world_;
  storage::TelemetryStore& inner_;
  Life& life_;
};

Server::Server(World& world) : world_(world) { Start(); }
Server::~Server() {
  if (life_ != nullptr) life_->alive = false;
}

void Server::Start() {
  ++lives_;
  life_ = std::make_unique<Life>();
  life_->store = std::make_unique<FailingStore>(world_, *this, store_, *life_);
  life_->telemetry = std::make_unique<FailingTelemetry>(world_, telemetry_, *life_);
  life_->waits = std::make_unique<core::WaitList>();
  life_->core = *core::Core::Create({*life_->store, *life_->telemetry, world_.clock(), world_.random()}, *life_->waits,
                                    core::CoreOptions());
  world_.After(seconds(1), [this, life = lives_] { Tick(life); });
}

void Server::Tick(int64_t life) {
  if (!up() || life != lives_) return;
  life_->core->Tick();
  world_.After(seconds(1), [this, life] { Tick(life); });
}

void Server::Crash() {
  if (!up()) return;
  life_->alive = false;
  // Later: what called may be the core.
  world_.After(world_.Between(milliseconds(100), milliseconds(20'000)), [this] {
    life_.reset();
    Start();
  });
}

bool Server::IsDrained() const {
  bool drained = false;
  const absl::Status status = store_.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const auto open,
                     view.jobs().List({v1::JOB_STATE_QUEUED, v1::JOB_STATE_ASSIGNED, v1::JOB_STATE_RUNNING}, "", 1));
    drained = open.empty();
    return absl::OkStatus();
  });
  return status.ok() && drained;
}

Record Server::ReadRecord() {
  Record record;
  const absl::Status status = store_.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(record.events, view.events().List(0, INT64_MAX));
    ASSIGN_OR_RETURN(const auto jobs, view.jobs().List({}, "", INT64_MAX));
    for (const storage::JobRecord& job : jobs) {
      v1::Job& out = record.jobs.emplace_back(job.job);
      ASSIGN_OR_RETURN(const auto attempts, view.jobs().ListAttempts(job.id));
      out.mutable_attempts()->Assign(attempts.begin(), attempts.end());
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return {};
  for (const v1::Job& job : record.jobs) {
    for (const v1::Attempt& attempt : job.attempts()) {
      if (attempt.state() != v1::ATTEMPT_STATE_SUCCEEDED) continue;
      const auto id = ParseAttemptName("name", attempt.name());
      if (id.ok()) record.logs[attempt.name()] = telemetry_.ReadLog(*id, 0, INT64_MAX).value_or("?");
    }
  }
  return record;
}

}  // namespace benchwire::sim
