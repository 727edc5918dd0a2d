// benchwire-power-loss: lets the power fail under the stores, from many seeds.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/faults/power_loss/trial.h"

namespace benchwire::faults {
namespace {

constexpr char kUsage[] =
    "Usage: benchwire-power-loss [FIRST_SEED [COUNT]]\n"
    "\n"
    "Lets the power fail COUNT times (default 1000) under the real stores, from FIRST_SEED (default 1), and prints "
    "every\n"
    "breach with its seed.\n"
    "Exit: 0 none; 1 some; 2 wrong use.\n";

bool IsNumber(const char* text) { return std::strspn(text, "0123456789") == std::strlen(text); }

int Main(int argc, char** argv) {
  if (argc > 3 || (argc > 1 && !IsNumber(argv[1])) || (argc > 2 && !IsNumber(argv[2]))) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  spdlog::set_level(spdlog::level::off);
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000;
  PowerLossVfs vfs;
  int64_t bad = 0, failures = 0, acknowledged = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Outcome outcome = FailUnderStores(vfs, seed);
    failures += outcome.failed;
    acknowledged += outcome.acknowledged;
    bad += !outcome.breaches.empty();
    for (const std::string& breach : outcome.breaches) {
      std::printf("seed=%llu %s\n", static_cast<unsigned long long>(seed), breach.c_str());
    }
  }
  std::printf("%llu seeds, %lld power failures, %lld writes acknowledged before them, %lld with a breach\n",
              static_cast<unsigned long long>(count), static_cast<long long>(failures),
              static_cast<long long>(acknowledged), static_cast<long long>(bad));
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace benchwire::faults

int main(int argc, char** argv) { return benchwire::faults::Main(argc, argv); }
