// Core over stores in memory and a clock that moves only when told: all in the test's thread but for watches.
#ifndef BENCHWIRE_TESTS_UNIT_CORE_CORE_FIXTURE_H_
#define BENCHWIRE_TESTS_UNIT_CORE_CORE_FIXTURE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/core/core.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_random.h"
#include "tests/fakes/memory_store.h"
#include "tests/fakes/memory_telemetry_store.h"

namespace benchwire::core {

// Refuses as many writes as it is told to, and answers late where it is told to.
class FlakyStore final : public storage::Store {
 public:
  explicit FlakyStore(std::function<void()> after_commit) : inner_(std::move(after_commit)) {}
  absl::Status Read(const storage::ReadFunction& function) const override { return inner_.Read(function); }
  void WriteAsync(storage::WriteFunction function, storage::WriteCallback done) override {
    if (failures > 0) {
      --failures;
      return done(MakeError(absl::StatusCode::kResourceExhausted, "DISK_FULL", "no space left"));
    }
    if (!hold) return inner_.WriteAsync(std::move(function), std::move(done));
    inner_.WriteAsync(std::move(function), [this, done = std::move(done)](const absl::Status& status) {
      held_.push_back([done, status] { done(status); });
    });
  }
  // Gives the answers that were held.
  void Release() {
    hold = false;
    for (const auto& answer : std::exchange(held_, {})) answer();
  }
  int failures = 0;
  bool hold = false;

 private:
  storage::MemoryStore inner_;
  std::vector<std::function<void()>> held_;
};

class CoreTest : public ::testing::Test {
 protected:
  using LeaseAnswer = std::optional<absl::StatusOr<v1::LeaseJobResponse>>;

  CoreTest() { Restart(); }

  // A server that starts anew on the same stores.
  void Restart() {
    core_.reset();
    waits_ = std::make_unique<WaitList>();
    core_ = *Core::Create({store_, telemetry_, clock_, random_}, *waits_, {});
  }

  absl::StatusOr<v1::RegisterWorkerResponse> RegisterWorker(const std::string& worker, const std::string& incarnation) {
    v1::RegisterWorkerRequest request;
    request.set_worker("workers/" + worker);
    request.set_incarnation(incarnation);
    request.mutable_inventory()->set_cpus(4);
    request.mutable_inventory()->set_memory_bytes(int64_t{8} << 30);
    request.mutable_inventory()->add_runners()->set_kind("p2p");
    return core_->fleet().Register(request);
  }
  std::string Session(const std::string& worker, const std::string& incarnation = "incarnation-1") {
    return RegisterWorker(worker, incarnation)->session();
  }

  // A p2p job that any worker of this test fits.
  static v1::CreateJobRequest JobRequest(const std::string& request_id = "") {
    v1::CreateJobRequest request;
    request.mutable_job()->mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
    request.set_request_id(request_id);
    request.set_allow_unsatisfiable(true);
    return request;
  }
  v1::Job CreateJob() { return *core_->jobs().Create(JobRequest(), "local"); }
  v1::Job GetJob(const std::string& name) {
    v1::GetJobRequest request;
    request.set_name(name);
    return *core_->jobs().Get(request);
  }
  absl::StatusOr<v1::Job> CancelJob(const std::string& name, const std::string& why = "") {
    v1::CancelJobRequest request;
    request.set_name(name);
    request.set_reason(why);
    return core_->jobs().Cancel(request);
  }

  // Parks a LeaseJob call; the answer is filled in when it comes.
  std::shared_ptr<LeaseAnswer> LeaseCall(const std::string& session, const std::string& request_id,
                                         std::chrono::seconds wait = std::chrono::seconds(30)) {
    v1::LeaseJobRequest request;
    request.set_session(session);
    request.set_request_id(request_id);
    *request.mutable_wait() = ToProto(std::chrono::nanoseconds(wait));
    auto answer = std::make_shared<LeaseAnswer>();
    auto id = core_->fleet().Lease(request, [answer](absl::StatusOr<v1::LeaseJobResponse> response) {
      ASSERT_FALSE(answer->has_value()) << "answered twice";
      *answer = std::move(response);
    });
    if (!id.ok()) *answer = id.status();
    return answer;
  }
  // The lease of a call that was answered with one.
  static v1::Lease LeaseOf(const LeaseAnswer& answer) {
    if (answer && answer->ok() && (*answer)->has_lease()) return (*answer)->lease();
    ADD_FAILURE() << "no lease";
    return {};
  }
  v1::Lease Lease(const std::string& session, const std::string& request_id = "lease-000001") {
    return LeaseOf(*LeaseCall(session, request_id));
  }
  absl::Status Start(const std::string& session, const v1::Lease& lease) {
    v1::StartAttemptRequest request;
    request.set_session(session);
    *request.mutable_fence() = lease.fence();
    return core_->attempts().Start(request);
  }
  // Leases the one queued job and starts it.
  v1::Lease Run(const std::string& session, const std::string& request_id = "lease-000001") {
    v1::Lease lease = Lease(session, request_id);
    EXPECT_TRUE(Start(session, lease).ok());
    return lease;
  }
  absl::StatusOr<v1::ReportResponse> Report(const std::string& session, const v1::Lease& lease, int64_t sequence,
                                            const std::string& log, const std::vector<v1::Measurement>& rows = {}) {
    auto request = std::make_shared<v1::ReportRequest>();
    request->set_session(session);
    *request->mutable_fence() = lease.fence();
    request->set_sequence(sequence);
    request->set_log(log);
    request->mutable_measurements()->Assign(rows.begin(), rows.end());
    absl::StatusOr<v1::ReportResponse> out = absl::UnknownError("no answer");
    core_->attempts().Report(request, [&](absl::StatusOr<v1::ReportResponse> response) { out = std::move(response); });
    return out;
  }
  static v1::CompleteAttemptRequest Completion(const v1::Lease& lease, v1::AttemptOutcome outcome,
                                               int64_t last_sequence = 0) {
    v1::CompleteAttemptRequest request;
    *request.mutable_fence() = lease.fence();
    request.set_outcome(outcome);
    request.set_last_sequence(last_sequence);
    if (outcome == v1::ATTEMPT_OUTCOME_SUCCEEDED) request.mutable_result()->mutable_p2p();
    return request;
  }
  absl::StatusOr<v1::JobState> Complete(const v1::Lease& lease, v1::AttemptOutcome outcome, int64_t last_sequence = 0) {
    auto response = core_->attempts().Complete(Completion(lease, outcome, last_sequence));
    if (!response.ok()) return response.status();
    return response->job_state();
  }
  static v1::Measurement Row(const std::string& metric, const std::vector<double>& samples) {
    v1::Measurement row;
    row.set_metric(metric);
    row.set_unit("B/s");
    row.set_value(samples.empty() ? 0 : samples.front());
    row.mutable_samples()->Assign(samples.begin(), samples.end());
    row.set_status(v1::MEASUREMENT_STATUS_OK);
    return row;
  }
  // Moves the clock and does what is due.
  void Pass(std::chrono::nanoseconds time) {
    clock_.Advance(time);
    core_->Tick();
  }
  std::vector<v1::Event> Events() {
    std::vector<v1::Event> out;
    EXPECT_TRUE(store_
                    .Read([&](const storage::View& view) -> absl::Status {
                      ASSIGN_OR_RETURN(out, view.events().List(0, 10'000));
                      return absl::OkStatus();
                    })
                    .ok());
    return out;
  }

  FakeClock clock_;
  FakeRandom random_;
  std::unique_ptr<WaitList> waits_;
  FlakyStore store_{[this] {
    if (waits_) EventLog::OnCommit(*waits_);
  }};
  storage::MemoryTelemetryStore telemetry_;
  std::unique_ptr<Core> core_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_TESTS_UNIT_CORE_CORE_FIXTURE_H_
