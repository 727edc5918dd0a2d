#include "server/base/random.h"

#include <gtest/gtest.h>

#include "server/base/sha256.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_random.h"

namespace benchwire {
namespace {

TEST(SortableId, SortsByTimeAndIsAValidName) {
  FakeClock clock;
  SystemRandom random;
  std::string last;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = SortableId(clock.Now(), random);
    EXPECT_EQ(id.size(), 26u);
    EXPECT_GT(id, last);
    last = id;
    clock.Advance(std::chrono::milliseconds(1));
  }
}

TEST(RandomSeed, IsNeverNegative) {
  FakeRandom random;
  for (int i = 0; i < 1000; ++i) EXPECT_GE(RandomSeed(random), 0);
}

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace benchwire
