#include "workers/p2p/host/pinned_worker.h"

#include <pthread.h>
#include <sched.h>

#include <utility>

namespace benchwire::p2p::host {
namespace {

constexpr int kSpinsBeforeYield = 2'000;

}  // namespace

PinnedWorker::PinnedWorker(int cpu) {
  thread_ = std::thread([this, cpu] { Loop(cpu); });
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return ready_; });
}

PinnedWorker::~PinnedWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PinnedWorker::Start(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = std::move(work);
  }
  changed_.notify_all();
}

void PinnedWorker::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !work_; });
}

void PinnedWorker::Run(std::function<void()> work) {
  Start(std::move(work));
  Wait();
}

void PinnedWorker::Loop(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pin_error_ = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  std::unique_lock<std::mutex> lock(mutex_);
  ready_ = true;
  changed_.notify_all();
  while (true) {
    changed_.wait(lock, [this] { return work_ || ending_; });
    if (!work_) return;
    // The function stays in place while it runs: that is what Wait() looks at.
    const std::function<void()>& work = work_;
    lock.unlock();
    work();
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

void SpinBarrier::Arrive() {
  missing_.fetch_sub(1, std::memory_order_acq_rel);
  for (int spins = 0; missing_.load(std::memory_order_acquire) > 0; ++spins) {
    SpinPause();
    // More threads than free CPUs: let the other one come.
    if (spins % kSpinsBeforeYield == kSpinsBeforeYield - 1) sched_yield();
  }
}

void SpinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace benchwire::p2p::host
