#include "workers/p2p/pattern.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace benchwire::p2p {
namespace {

std::vector<std::byte> Filled(std::uint64_t key, std::size_t size) {
  std::vector<std::byte> bytes(size);
  FillPattern(key, 0, bytes);
  return bytes;
}

TEST(PatternTest, HoldsForEverySizeAndPart) {
  const std::uint64_t key = PatternKey(1, 2, 3);
  const std::vector<std::byte> all = Filled(key, 4099);
  EXPECT_EQ(ComparePattern(key, 0, all).mismatched, 0);
  std::vector<std::byte> part(all.begin() + 1024, all.end());
  EXPECT_EQ(ComparePattern(key, 1024, part).mismatched, 0);
  FillPattern(key, 1024, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 1024));
}

TEST(PatternTest, EveryFlippedByteIsFound) {
  const std::uint64_t key = PatternKey(1, 0, 0);
  std::vector<std::byte> bytes = Filled(key, 37);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{0x10};
    const Difference difference = ComparePattern(key, 64, bytes);
    EXPECT_GT(difference.mismatched, 0);
    const Difference here = ComparePattern(key, 0, bytes);
    EXPECT_EQ(here.mismatched, 1);
    EXPECT_EQ(here.first, static_cast<std::int64_t>(i));
    bytes[i] ^= std::byte{0x10};
  }
}

TEST(PatternTest, SeedsSamplesAndFlowsDiffer) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::int64_t sample = 0; sample < 16; ++sample) {
      for (std::uint64_t flow = 0; flow < 2; ++flow) keys.insert(PatternKey(seed, sample, flow));
    }
  }
  EXPECT_EQ(keys.size(), 4u * 16 * 2);
  // Old data agrees only by chance, in one byte of 256.
  const Difference stale = ComparePattern(PatternKey(1, 1, 0), 0, Filled(PatternKey(1, 0, 0), 4096));
  EXPECT_GT(stale.mismatched, 4000);
}

TEST(PatternTest, DifferencesAddUp) {
  Difference sum;
  sum.Add({2, 100});
  sum.Add({0, std::nullopt});
  sum.Add({1, 50});
  EXPECT_EQ(sum.mismatched, 3);
  EXPECT_EQ(sum.first, 50);
}

}  // namespace
}  // namespace benchwire::p2p
