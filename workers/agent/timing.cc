#include "workers/agent/timing.h"

#include <algorithm>
#include <cstdint>

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

// Uniform in [low, high].
milliseconds Uniform(milliseconds low, milliseconds high, RandomSource& random) {
  const auto width = static_cast<uint64_t>((high - low).count()) + 1;
  return low + milliseconds(static_cast<int64_t>(static_cast<uint64_t>(RandomSeed(random)) % width));
}

}  // namespace

milliseconds FullJitter(int attempt, milliseconds base, milliseconds cap, RandomSource& random) {
  milliseconds most = std::min(base, cap);
  for (int i = 0; i < attempt && most < cap; ++i) most = std::min(cap, most * 2);
  return Uniform(milliseconds(0), most, random);
}

milliseconds RenewDelay(milliseconds ttl, RandomSource& random) {
  const milliseconds third = std::max(milliseconds(10), ttl / 3);
  return Uniform(third - third / 10, third + third / 10, random);
}

milliseconds FenceDelay(milliseconds ttl, milliseconds margin) { return ttl >= 2 * margin ? ttl - margin : ttl / 2; }

}  // namespace benchwire::agent
