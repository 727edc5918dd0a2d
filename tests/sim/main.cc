// benchwire-sim: runs simulations from many seeds and says which went wrong.
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "server/base/mutex.h"
#include "tests/sim/simulation.h"

namespace benchwire::sim {
namespace {

constexpr char kUsage[] =
    "Usage: benchwire-sim [FIRST_SEED [COUNT]]\n"
    "\n"
    "Runs COUNT simulations (default 20000) from FIRST_SEED (default 1) on all cores and prints every breach with its\n"
    "seed; one seed alone repeats what went wrong.\n"
    "Exit: 0 none; 1 some; 2 wrong use.\n";

struct Totals {
  Mutex mutex;
  uint64_t next GUARDED_BY(mutex) = 0;
  int64_t bad GUARDED_BY(mutex) = 0;
  int64_t crashes GUARDED_BY(mutex) = 0;
  int64_t jobs GUARDED_BY(mutex) = 0;
  int64_t attempts GUARDED_BY(mutex) = 0;
};

void RunSeeds(uint64_t end, Totals& totals) {
  while (true) {
    uint64_t seed = 0;
    {
      MutexLock lock(totals.mutex);
      if (totals.next == end) return;
      seed = totals.next++;
    }
    const Outcome outcome = Simulate(seed);
    MutexLock lock(totals.mutex);
    totals.bad += !outcome.breaches.empty();
    totals.crashes += outcome.crashes;
    totals.jobs += outcome.jobs;
    totals.attempts += outcome.attempts;
    for (const std::string& breach : outcome.breaches) {
      std::printf("seed=%llu %s\n", static_cast<unsigned long long>(seed), breach.c_str());
    }
  }
}

int Main(int argc, char** argv) {
  if (argc > 3 || (argc > 1 && std::strspn(argv[1], "0123456789") != std::strlen(argv[1]))) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  spdlog::set_level(spdlog::level::off);
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  const auto begin = std::chrono::steady_clock::now();
  Totals totals;
  {
    MutexLock lock(totals.mutex);
    totals.next = first;
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] { RunSeeds(first + count, totals); });
  }
  for (std::thread& thread : threads) thread.join();
  MutexLock lock(totals.mutex);
  std::printf("%llu seeds from %llu, %lld with a breach; %lld jobs, %lld attempts, %lld server crashes; %.1f s\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
              static_cast<long long>(totals.bad), static_cast<long long>(totals.jobs),
              static_cast<long long>(totals.attempts), static_cast<long long>(totals.crashes),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return totals.bad > 0 ? 1 : 0;
}

}  // namespace
}  // namespace benchwire::sim

int main(int argc, char** argv) { return benchwire::sim::Main(argc, argv); }
