// Randomness behind a seam, and the identifiers made from it. Any thread.
#ifndef BENCHWIRE_SERVER_BASE_RANDOM_H_
#define BENCHWIRE_SERVER_BASE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "server/base/clock.h"

namespace benchwire {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // `size` random bytes.
  virtual std::string Bytes(size_t size) = 0;
};

// The kernel's generator. Ends the process where the kernel has none: an id that can be guessed would be worse.
class SystemRandom final : public RandomSource {
 public:
  std::string Bytes(size_t size) override;
};

// Lower-case hex.
std::string Hex(const std::string& bytes);

// 26 characters of [0-9a-z] that sort by time in milliseconds, then at random: 48 bits of time, 80 of randomness, in
// Crockford's base 32 (the ULID layout, in lower case).
std::string SortableId(WallTime time, RandomSource& random);

// 128 random bits in hex: request ids, incarnations.
std::string RandomId(RandomSource& random);

// Uniform in [0, 2^63).
int64_t RandomSeed(RandomSource& random);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_RANDOM_H_
