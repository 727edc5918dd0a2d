// A thread that stays on one CPU and runs one function at a time. Made before the clock starts, so that no thread start
// is ever timed. Used by one thread.
#ifndef BENCHWIRE_WORKERS_P2P_HOST_PINNED_WORKER_H_
#define BENCHWIRE_WORKERS_P2P_HOST_PINNED_WORKER_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace benchwire::p2p::host {

class PinnedWorker {
 public:
  explicit PinnedWorker(int cpu);
  // Waits for the function that runs.
  ~PinnedWorker();
  PinnedWorker(const PinnedWorker&) = delete;
  PinnedWorker& operator=(const PinnedWorker&) = delete;

  // 0, or the errno of pinning. Known from the construction on.
  int pin_error() const { return pin_error_; }

  // Starts `work` on the thread. Only after Wait() for the one before.
  void Start(std::function<void()> work);
  void Wait();
  void Run(std::function<void()> work);

 private:
  void Loop(int cpu);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  // Guarded by mutex_; empty where idle.
  bool ready_ = false;          // Guarded by mutex_.
  bool ending_ = false;         // Guarded by mutex_.
  int pin_error_ = 0;           // Written before ready_.
  std::thread thread_;
};

// Lets `count` threads go at once, by spinning: a wake-up would take longer than what is timed. Used once.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count) : missing_(count) {}
  void Arrive();

 private:
  std::atomic<int> missing_;
};

// Tells the CPU that a loop spins.
void SpinPause();

}  // namespace benchwire::p2p::host

#endif  // BENCHWIRE_WORKERS_P2P_HOST_PINNED_WORKER_H_
