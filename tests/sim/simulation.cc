#include "tests/sim/simulation.h"

#include <algorithm>
#include <memory>

#include "server/base/random.h"
#include "server/core/environment.h"

namespace benchwire::sim {
namespace {

constexpr seconds kFaulty{600};     // So long things fail.
constexpr seconds kDrained{3'600};  // Until then all must have ended.
constexpr seconds kLook{30};        // How often it is looked whether all has ended.
constexpr seconds kAfter{150};      // So long it goes on then: what comes late must change nothing.

v1::CreateJobRequest MakeRequest(World& world) {
  v1::CreateJobRequest request;
  request.set_request_id(RandomId(world.random()));
  request.set_allow_unsatisfiable(true);
  v1::Job& job = *request.mutable_job();
  job.mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
  job.set_priority(static_cast<int32_t>(world.Between(0, 100)));
  v1::Requirements& needs = *job.mutable_requirements();
  const int64_t kind = world.Between(0, 3);
  needs.set_exclusivity(kind == 0 ? v1::EXCLUSIVITY_HOST : kind == 1 ? v1::EXCLUSIVITY_NONE : v1::EXCLUSIVITY_DEVICE);
  if (kind > 1) {
    needs.set_device_kind(v1::DEVICE_KIND_GPU);
    needs.set_device_count(static_cast<int32_t>(kind - 1));
  }
  return request;
}

class Client {
 public:
  Client(World& world, Server& server, History& history, bool request_ids)
      : world_(world), server_(server), history_(history), request_ids_(request_ids) {}

  void SubmitLater(int jobs) {
    for (int i = 0; i < jobs; ++i) {
      world_.After(world_.Between(nanoseconds(0), nanoseconds(kFaulty)), [this] {
        const v1::CreateJobRequest request = MakeRequest(world_);
        history_.submitted[request.request_id()];
        Submit(request.request_id(), request);
      });
    }
  }

 private:
  void Submit(const std::string& id, const v1::CreateJobRequest& request) {
    Call<v1::Job>(
        world_, server_, seconds(10),
        [request](core::Core& core, auto reply) { reply(core.jobs().Create(request, "client")); },
        [this, id, request](absl::StatusOr<v1::Job> job) {
          if (job.ok()) {
            history_.submitted[id].push_back(job->name());
            if (world_.Chance(0.1)) CancelLater(job->name());
            return;
          }
          v1::CreateJobRequest again = request;
          if (!request_ids_) again.set_request_id(RandomId(world_.random()));
          world_.After(seconds(1), [this, id, again] { Submit(id, again); });
        });
  }
  void CancelLater(const std::string& name) {
    v1::CancelJobRequest request;
    request.set_name(name);
    world_.After(world_.Between(milliseconds(100), milliseconds(60'000)), [this, request] {
      Call<v1::Job>(
          world_, server_, seconds(10), [request](core::Core& core, auto reply) { reply(core.jobs().Cancel(request)); },
          [](const absl::StatusOr<v1::Job>&) {});
    });
  }

  World& world_;
  Server& server_;
  History& history_;
  const bool request_ids_;
};

// Every now and then something happens to a worker or to the server, until the faults end.
void Trouble(World& world, Server& server, std::vector<std::unique_ptr<Worker>>& workers) {
  if (world.now() >= kFaulty) return;
  Worker& worker = *workers[static_cast<size_t>(world.Between(0, static_cast<int64_t>(workers.size()) - 1))];
  switch (world.Between(0, 5)) {
    case 0:
      worker.Restart();
      break;
    case 1:
      worker.Freeze(world.Between(seconds(1), seconds(120)));
      break;
    case 2:
      worker.CutOff(world.Between(seconds(1), seconds(120)));
      break;
    case 3:
      server.Crash();
      break;
    case 4:
      world.clock().JumpWall(world.Between(-seconds(3'600), seconds(3'600)));
      break;
    default:
      break;
  }
  world.After(world.Between(seconds(5), seconds(90)), [&] { Trouble(world, server, workers); });
}

}  // namespace

Outcome Simulate(uint64_t seed, const Guards& guards) {
  World world(seed);
  History history;
  Server server(world);
  Client client(world, server, history, guards.request_ids);
  std::vector<std::unique_ptr<Worker>> workers;
  const int64_t count = world.Between(1, 4);
  for (int64_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(world, server, history, "w" + std::to_string(i), guards.worker));
  }
  client.SubmitLater(static_cast<int>(world.Between(1, 16)));
  world.After(seconds(10), [&] { Trouble(world, server, workers); });
  world.RunUntil(kFaulty);
  world.Calm();
  const auto answered = [&history] {
    return std::all_of(history.submitted.begin(), history.submitted.end(),
                       [](const auto& request) { return !request.second.empty(); });
  };
  while (world.now() < kDrained && !(answered() && server.IsDrained())) world.RunUntil(world.now() + kLook);
  world.RunUntil(world.now() + kAfter);
  const Record record = server.ReadRecord();
  Outcome outcome;
  outcome.breaches = Check(history, record);
  outcome.crashes = server.crashes();
  outcome.jobs = static_cast<int64_t>(record.jobs.size());
  for (const v1::Job& job : record.jobs) outcome.attempts += job.attempts_size();
  return outcome;
}

}  // namespace benchwire::sim
