#include "server/core/core.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/base/status.h"

namespace benchwire::core {

Core::Core(CoreEnvironment environment, WaitList& waits, const CoreOptions& options)
    : clock_(environment.clock),
      standstill_(options.fleet.ttl / 2),
      waits_(waits),
      workers_(environment.clock),
      dispatcher_(environment, workers_, options.start_deadline),
      attempts_(environment, workers_, dispatcher_, waits_),
      fleet_(environment, workers_, dispatcher_, attempts_, options.fleet),
      jobs_(environment, workers_, dispatcher_, attempts_),
      digests_(environment),
      telemetry_(environment, waits_),
      events_(environment.store, waits_),
      last_tick_(environment.clock.Monotonic()) {}

absl::StatusOr<std::unique_ptr<Core>> Core::Create(CoreEnvironment environment, WaitList& waits,
                                                   const CoreOptions& options) {
  std::unique_ptr<Core> core(new Core(environment, waits, options));
  RETURN_IF_ERROR(core->fleet_.Load());
  return core;
}

Core::~Core() { Stop(); }

void Core::Tick() {
  fleet_.ReapSilent();
  attempts_.ReleaseOverdue();
  jobs_.ExpireQueued();
  dispatcher_.Tick();
}

void Core::RegularTick() {
  const MonotonicTime now = clock_.Monotonic();
  const std::chrono::nanoseconds gap = now - std::exchange(last_tick_, now);
  if (gap > standstill_) {
    spdlog::warn("the server stood still for {} ms", gap / std::chrono::milliseconds(1));
    workers_.ForgiveSilence();
  }
  Tick();
}

void Core::StartTicking(std::chrono::milliseconds interval) {
  ticker_ = std::thread([this, interval] {
    while (true) {
      {
        MutexLock lock(mutex_);
        if (!stopping_) wake_.wait_for(mutex_, interval);
        if (stopping_) return;
      }
      RegularTick();
    }
  });
}

void Core::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (ticker_.joinable()) ticker_.join();
  dispatcher_.Stop();
  waits_.Stop();
}

}  // namespace benchwire::core
