// Simulated time and chance: everything that happens in a simulation happens in one thread, in an order that one seed
// decides.
#ifndef BENCHWIRE_TESTS_SIM_WORLD_H_
#define BENCHWIRE_TESTS_SIM_WORLD_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_random.h"

namespace benchwire::sim {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// How often things go wrong, each a probability. Calm() ends all of it.
struct Faults {
  double lose_message = 0.02;
  double repeat_message = 0.02;
  double fail_write = 0.005;    // The disk is full for one write.
  double crash_before = 0.001;  // The server dies at a write, before it is on disk…
  double crash_after = 0.001;   // …or after it is, and before anybody hears.
};

class World {
 public:
  explicit World(uint64_t seed) : engine_(seed), random_(seed) {}

  // Time since the beginning.
  nanoseconds now() const { return now_; }
  FakeClock& clock() { return clock_; }
  RandomSource& random() { return random_; }
  Faults& faults() { return faults_; }
  void Calm() { faults_ = {0, 0, 0, 0, 0}; }

  bool Chance(double probability) { return probability > 0 && Unit() < probability; }
  int64_t Between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  nanoseconds Between(nanoseconds least, nanoseconds most) { return nanoseconds(Between(least.count(), most.count())); }

  void After(nanoseconds delay, std::function<void()> action) {
    queue_.emplace(std::pair(now_ + delay, next_++), std::move(action));
  }
  // Lets everything happen that is due up to `time`.
  void RunUntil(nanoseconds time) {
    while (!queue_.empty() && queue_.begin()->first.first <= time) {
      auto node = queue_.extract(queue_.begin());
      MoveTo(node.key().first);
      node.mapped()();
    }
    MoveTo(time);
  }

 private:
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  void MoveTo(nanoseconds time) {
    clock_.Advance(time - now_);
    now_ = time;
  }

  std::mt19937_64 engine_;
  FakeRandom random_;
  FakeClock clock_;
  Faults faults_;
  nanoseconds now_{0};
  uint64_t next_ = 0;  // Orders what is due at the same time.
  std::map<std::pair<nanoseconds, uint64_t>, std::function<void()>> queue_;
};

}  // namespace benchwire::sim

#endif  // BENCHWIRE_TESTS_SIM_WORLD_H_
