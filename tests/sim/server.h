// The server of a simulation: the real core over stores that fail, in a process that dies and starts again.
#ifndef BENCHWIRE_TESTS_SIM_SERVER_H_
#define BENCHWIRE_TESTS_SIM_SERVER_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "server/core/core.h"
#include "tests/fakes/memory_store.h"
#include "tests/fakes/memory_telemetry_store.h"
#include "tests/sim/history.h"
#include "tests/sim/world.h"

namespace benchwire::sim {

class Server {
 public:
  explicit Server(World& world);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Dies now, with everything that was in memory, and starts again a while later.
  void Crash();
  bool up() const { return life_ != nullptr && life_->alive; }
  // Where up.
  core::Core& core() { return *life_->core; }
  // Counts the starts: an answer of an earlier life reaches nobody.
  int64_t life() const { return lives_; }
  int64_t crashes() const { return lives_ - 1; }

  // Whether every stored job has ended.
  bool IsDrained() const;
  // What is stored.
  Record ReadRecord();

 private:
  // One process start, and the stores as it sees them.
  struct Life;
  class FailingStore;
  class FailingTelemetry;
  struct Life {
    bool alive = true;
    std::unique_ptr<storage::Store> store;
    std::unique_ptr<storage::TelemetryStore> telemetry;
    std::unique_ptr<core::WaitList> waits;
    std::unique_ptr<core::Core> core;
  };

  void Start();
  void Tick(int64_t life);

  World& world_;
  storage::MemoryStore store_;
  storage::MemoryTelemetryStore telemetry_;
  int64_t lives_ = 0;
  std::unique_ptr<Life> life_;
};

// One unary call over a network that loses and repeats messages. `serve` runs at the server, once, twice or never; it
// gets the core and gives its answer whenever it likes. `done` runs once: with the first answer that arrives, or
// UNAVAILABLE where none did in time.
template <typename Response>
void Call(World& world, Server& server, nanoseconds timeout,
          std::function<void(core::Core&, std::function<void(absl::StatusOr<Response>)>)> serve,
          std::function<void(absl::StatusOr<Response>)> done) {
  struct State {
    bool over = false;
    std::function<void(absl::StatusOr<Response>)> done;
  };
  auto state = std::make_shared<State>(State{false, std::move(done)});
  const auto finish = [state](absl::StatusOr<Response> answer) {
    if (!std::exchange(state->over, true)) std::exchange(state->done, {})(std::move(answer));
  };
  const auto latency = [&world] {
    return world.Chance(0.05) ? world.Between(milliseconds(100), milliseconds(5'000))
                              : world.Between(milliseconds(1), milliseconds(50));
  };
  const auto arrive = [&world, &server, serve, finish, latency] {
    if (!server.up()) return;
    serve(server.core(), [&world, &server, finish, latency, life = server.life()](absl::StatusOr<Response> answer) {
      if (!server.up() || server.life() != life || world.Chance(world.faults().lose_message)) return;
      world.After(latency(), [finish, answer = std::move(answer)] { finish(answer); });
    });
  };
  if (!world.Chance(world.faults().lose_message)) world.After(latency(), arrive);
  if (world.Chance(world.faults().repeat_message)) world.After(latency() + latency(), arrive);
  world.After(timeout, [finish] { finish(absl::UnavailableError("no answer")); });
}

}  // namespace benchwire::sim

#endif  // BENCHWIRE_TESTS_SIM_SERVER_H_
