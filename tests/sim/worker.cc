#include "tests/sim/worker.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/core/environment.h"

namespace benchwire::sim {
namespace {

constexpr size_t kSlots = 2;
constexpr seconds kMargin{10};
constexpr seconds kCallTimeout{10};

v1::Inventory MakeInventory() {
  v1::Inventory inventory;
  inventory.set_cpus(4);
  inventory.set_memory_bytes(int64_t{8} << 30);
  inventory.add_runners()->set_kind("p2p");
  for (int i = 0; i < 2; ++i) {
    v1::Device& device = *inventory.add_devices();
    device.set_id("gpu:" + std::to_string(i));
    device.set_kind(v1::DEVICE_KIND_GPU);
    device.set_healthy(true);
  }
  return inventory;
}

v1::Measurement MakeRow(int64_t number) {
  v1::Measurement row;
  row.set_metric("bandwidth");
  row.set_status(v1::MEASUREMENT_STATUS_OK);
  row.set_value(static_cast<double>(number));
  return row;
}

}  // namespace

Worker::Worker(World& world, Server& server, History& history, std::string id, WorkerGuards guards)
    : world_(world),
      server_(server),
      history_(history),
      id_(std::move(id)),
      guards_(guards),
      rate_(static_cast<double>(world.Between(970, 1'030)) / 1'000) {
  Restart();
}

void Worker::Later(nanoseconds delay, std::function<void()> action) {
  world_.After(delay, [this, life = life_, action = std::move(action)] {
    if (life != life_) return;
    if (world_.now() < frozen_until_) return Later(frozen_until_ - world_.now(), action);
    action();
  });
}

template <typename Response>
void Worker::Send(nanoseconds timeout,
                  std::function<void(core::Core&, std::function<void(absl::StatusOr<Response>)>)> serve,
                  std::function<void(absl::StatusOr<Response>)> done) {
  const auto here = [this, life = life_, done = std::move(done)](absl::StatusOr<Response> answer) {
    if (life != life_) return;
    if (world_.now() < cut_until_) answer = absl::UnavailableError("cut off");
    if (world_.now() >= frozen_until_) return done(std::move(answer));
    Later(frozen_until_ - world_.now(), [done, answer = std::move(answer)] { done(answer); });
  };
  if (world_.now() < cut_until_) return Later(Own(timeout), [here] { here(absl::UnavailableError("cut off")); });
  Call<Response>(world_, server_, Own(timeout), std::move(serve), here);
}

Worker::Attempt* Worker::Find(const std::string& name) {
  const auto found = attempts_.find(name);
  return found == attempts_.end() ? nullptr : &found->second;
}

void Worker::Restart() {
  while (!attempts_.empty()) Drop(attempts_.begin()->first);
  ++life_;
  session_.clear();
  incarnation_ = RandomId(world_.random());
  heard_ = nanoseconds(0);
  ttl_ = nanoseconds(0);
  Later(world_.Between(seconds(0), seconds(30)), [this] {
    Register();
    WatchSilence();
    LeaseAgain(seconds(0));
  });
}

// Its machine stands still, and so do its runners.
void Worker::Freeze(nanoseconds time) {
  frozen_until_ = std::max(frozen_until_, world_.now() + time);
  for (auto& [name, attempt] : attempts_) {
    if (!attempt.running) continue;
    AddUse(attempt);
    attempt.begin = frozen_until_;
  }
}
void Worker::CutOff(nanoseconds time) { cut_until_ = std::max(cut_until_, world_.now() + time); }

void Worker::Register() {
  v1::RegisterWorkerRequest request;
  request.set_worker("workers/" + id_);
  request.set_incarnation(incarnation_);
  *request.mutable_inventory() = MakeInventory();
  const nanoseconds sent = world_.now();
  Send<v1::RegisterWorkerResponse>(
      kCallTimeout, [request](core::Core& core, auto reply) { reply(core.fleet().Register(request)); },
      [this, sent](absl::StatusOr<v1::RegisterWorkerResponse> response) {
        if (!response.ok()) return Later(world_.Between(seconds(1), seconds(5)), [this] { Register(); });
        session_ = response->session();
        ttl_ = FromProto(response->ttl());
        heard_ = sent;
        // What the server does not count as ours any more.
        for (auto it = attempts_.begin(); it != attempts_.end();) {
          const std::string name = it++->first;
          const auto& kept = response->attempts();
          if (std::find(kept.begin(), kept.end(), name) == kept.end()) Drop(name);
        }
        Later(Own(ttl_ / 3), [this] { Renew(); });
      });
}

void Worker::Renew() {
  v1::RenewLeaseRequest request;
  request.set_session(session_);
  for (const auto& [name, attempt] : attempts_) (*request.mutable_progress())[name].set_fraction(0.5);
  const nanoseconds sent = world_.now();
  Send<v1::RenewLeaseResponse>(
      kCallTimeout, [request](core::Core& core, auto reply) { reply(core.fleet().Renew(request)); },
      [this, sent](absl::StatusOr<v1::RenewLeaseResponse> response) {
        if (ErrorReason(response.status()) == "STALE_SESSION") return Register();
        if (!response.ok()) return Later(world_.Between(seconds(1), seconds(3)), [this] { Renew(); });
        heard_ = std::max(heard_, sent);
        for (const std::string& name : response->stale()) Drop(name);
        for (const std::string& name : response->cancel()) Finish(name, v1::ATTEMPT_OUTCOME_CANCELLED);
        Later(Own(ttl_ / 3), [this] { Renew(); });
      });
}

bool Worker::Silent() const { return world_.now() - heard_ > Own(ttl_ - kMargin); }

void Worker::WatchSilence() {
  if (guards_.fences_itself && Silent()) {
    while (!attempts_.empty()) Drop(attempts_.begin()->first);
  }
  Later(seconds(1), [this] { WatchSilence(); });
}

void Worker::LeaseAgain(nanoseconds delay) {
  Later(delay, [this] { Lease(RandomId(world_.random())); });
}

void Worker::Lease(const std::string& request_id) {
  if (session_.empty() || Silent() || attempts_.size() >= kSlots) return LeaseAgain(seconds(1));
  v1::LeaseJobRequest request;
  request.set_session(session_);
  request.set_request_id(request_id);
  *request.mutable_wait() = ToProto(nanoseconds(seconds(20)));
  Send<v1::LeaseJobResponse>(
      seconds(30),
      [request](core::Core& core, auto reply) {
        const auto wait = core.fleet().Lease(request, reply);
        if (!wait.ok()) reply(wait.status());
      },
      [this, request_id](absl::StatusOr<v1::LeaseJobResponse> response) {
        if (absl::IsUnavailable(response.status())) return Later(seconds(1), [this, request_id] { Lease(request_id); });
        if (response.ok() && response->has_lease()) Begin(response->lease());
        LeaseAgain(response.ok() ? milliseconds(100) : milliseconds(2'000));
      });
}

void Worker::Begin(const v1::Lease& lease) {
  const std::string& name = lease.fence().attempt();
  if (attempts_.contains(name)) return;
  attempts_[name].lease = lease;
  if (!guards_.asks_to_start) Run(name);
  StartAttempt(name);
}

void Worker::StartAttempt(const std::string& name) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr) return;
  v1::StartAttemptRequest request;
  request.set_session(session_);
  *request.mutable_fence() = attempt->lease.fence();
  Send<v1::StartAttemptResponse>(
      kCallTimeout,
      [request](core::Core& core, auto reply) {
        const absl::Status status = core.attempts().Start(request);
        status.ok() ? reply(v1::StartAttemptResponse()) : reply(status);
      },
      [this, name](absl::StatusOr<v1::StartAttemptResponse> response) {
        if (response.ok()) return Run(name);
        const std::string reason = ErrorReason(response.status());
        if (reason == "STALE_LEASE" || reason == "CANCELLED" || reason == "NOT_FOUND") return Drop(name);
        Later(seconds(1), [this, name] { StartAttempt(name); });
      });
}

void Worker::Run(const std::string& name) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr || attempt->running || attempt->outcome != v1::ATTEMPT_OUTCOME_UNSPECIFIED) return;
  if (guards_.fences_itself && Silent()) return Drop(name);
  attempt->running = true;
  attempt->begin = world_.now();
  Write(name, world_.Between(0, 12));
}

// The runner writes something, `left` times more, and ends.
void Worker::Write(const std::string& name, int64_t left) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr || !attempt->running) return;
  if (left == 0) {
    const int64_t chance = world_.Between(0, 99);
    return Finish(name, chance < 80   ? v1::ATTEMPT_OUTCOME_SUCCEEDED
                        : chance < 90 ? v1::ATTEMPT_OUTCOME_FAILED
                                      : v1::ATTEMPT_OUTCOME_TRY_AGAIN);
  }
  v1::ReportRequest batch;
  *batch.mutable_fence() = attempt->lease.fence();
  batch.set_sequence(static_cast<int64_t>(attempt->batches.size()) + 1);
  batch.set_log("line " + std::to_string(batch.sequence()) + " of " + name + "\n");
  *batch.add_measurements() = MakeRow(batch.sequence());
  attempt->log += batch.log();
  attempt->batches.push_back(std::move(batch));
  Report(name);
  Later(world_.Between(milliseconds(500), milliseconds(15'000)), [this, name, left] { Write(name, left - 1); });
}

void Worker::Report(const std::string& name) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr || attempt->reporting) return;
  if (attempt->acknowledged == static_cast<int64_t>(attempt->batches.size())) return;
  attempt->reporting = true;
  auto request = std::make_shared<v1::ReportRequest>(attempt->batches[static_cast<size_t>(attempt->acknowledged)]);
  request->set_session(session_);
  Send<v1::ReportResponse>(
      kCallTimeout, [request](core::Core& core, auto reply) { core.attempts().Report(request, reply); },
      [this, name](absl::StatusOr<v1::ReportResponse> response) {
        Attempt* found = Find(name);
        if (found == nullptr) return;
        found->reporting = false;
        if (ErrorReason(response.status()) == "STALE_LEASE") return Drop(name);
        if (response.ok()) {
          found->acknowledged =
              std::min<int64_t>(response->acknowledged_sequence(), static_cast<int64_t>(found->batches.size()));
          if (response->cancel()) Finish(name, v1::ATTEMPT_OUTCOME_CANCELLED);
        }
        Later(response.ok() ? milliseconds(1) : milliseconds(1'000), [this, name] { Report(name); });
      });
}

void Worker::Finish(const std::string& name, v1::AttemptOutcome outcome) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr || attempt->outcome != v1::ATTEMPT_OUTCOME_UNSPECIFIED) return;
  EndUse(*attempt);
  attempt->outcome = outcome;
  history_.logs[name] = attempt->log;
  Complete(name);
}

void Worker::Complete(const std::string& name) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr) return;
  v1::CompleteAttemptRequest request;
  request.set_session(session_);
  *request.mutable_fence() = attempt->lease.fence();
  request.set_outcome(attempt->outcome);
  request.set_last_sequence(static_cast<int64_t>(attempt->batches.size()));
  const bool succeeded = attempt->outcome == v1::ATTEMPT_OUTCOME_SUCCEEDED;
  if (succeeded) {
    request.mutable_result()->mutable_p2p()->set_verdict(v1::P2P_VERDICT_PASS);
  } else {
    request.mutable_reason()->set_code("SIMULATED");
  }
  Send<v1::CompleteAttemptResponse>(
      kCallTimeout, [request](core::Core& core, auto reply) { reply(core.attempts().Complete(request)); },
      [this, name, succeeded](absl::StatusOr<v1::CompleteAttemptResponse> response) {
        if (response.ok() && succeeded) history_.accepted.push_back(name);
        const std::string reason = ErrorReason(response.status());
        if (response.ok() || reason == "STALE_LEASE" || reason == "NOT_STARTED") return Drop(name);
        if (reason == "MISSING_REPORTS") Report(name);
        Later(seconds(1), [this, name] { Complete(name); });
      });
}

void Worker::EndUse(Attempt& attempt) {
  if (std::exchange(attempt.running, false)) AddUse(attempt);
}

void Worker::AddUse(const Attempt& attempt) {
  if (attempt.begin >= world_.now()) return;
  DeviceUse use{id_, "", attempt.lease.fence().attempt(), attempt.begin, world_.now()};
  history_.uses.push_back(use);
  for (const std::string& device : attempt.lease.devices()) {
    use.device = device;
    history_.uses.push_back(use);
  }
}

void Worker::Drop(const std::string& name) {
  Attempt* attempt = Find(name);
  if (attempt == nullptr) return;
  EndUse(*attempt);
  attempts_.erase(name);
}

}  // namespace benchwire::sim
