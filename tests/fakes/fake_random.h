// Reproducible bytes from a seed. Not for several threads.
#ifndef BENCHWIRE_TESTS_FAKES_FAKE_RANDOM_H_
#define BENCHWIRE_TESTS_FAKES_FAKE_RANDOM_H_

#include <random>

#include "server/base/random.h"

namespace benchwire {

class FakeRandom final : public RandomSource {
 public:
  explicit FakeRandom(uint64_t seed = 1) : engine_(seed) {}
  std::string Bytes(size_t size) override {
    std::string out(size, '\0');
    for (char& c : out) c = static_cast<char>(engine_());
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_FAKE_RANDOM_H_
