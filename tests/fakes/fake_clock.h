// A clock that moves only when told. Any thread.
#ifndef BENCHWIRE_TESTS_FAKES_FAKE_CLOCK_H_
#define BENCHWIRE_TESTS_FAKES_FAKE_CLOCK_H_

#include <atomic>

#include "server/base/clock.h"

namespace benchwire {

class FakeClock final : public Clock {
 public:
  WallTime Now() const override { return WallTime(std::chrono::nanoseconds(wall_.load())); }
  MonotonicTime Monotonic() const override { return MonotonicTime(std::chrono::nanoseconds(monotonic_.load())); }
  // Both clocks go on.
  void Advance(std::chrono::nanoseconds by) {
    wall_ += by.count();
    monotonic_ += by.count();
  }
  // Somebody sets the wall clock.
  void JumpWall(std::chrono::nanoseconds by) { wall_ += by.count(); }

 private:
  std::atomic<int64_t> wall_{1'768'381'200'000'000'000};  // 2026-01-14T09:00:00Z
  std::atomic<int64_t> monotonic_{1'000'000'000'000};
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_FAKE_CLOCK_H_
