#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "storage/series/buckets.h"
#include "storage/series/codec.h"
#include "storage/series/fresh_points.h"
#include "storage/series/point_groups.h"
#include "tests/fakes/points.h"

namespace benchwire::storage {
namespace {

// The same to the bit, NaNs included.
bool Same(const std::vector<StepValue>& a, const std::vector<StepValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StepValue& x, const StepValue& y) {
    return x.step == y.step && std::bit_cast<uint64_t>(x.value) == std::bit_cast<uint64_t>(y.value);
  });
}

// Series of several kinds: smooth, noisy, any bits at all, with steps that go on, jump, repeat or go around.
std::vector<StepValue> AnySeries(std::mt19937_64& random) {
  const size_t size = random() % 5 == 0 ? random() % 3 : random() % 2'000;
  const uint64_t kind = random() % 4, steps = random() % 4;
  std::vector<StepValue> out;
  uint64_t step = random() % 100;
  for (size_t i = 0; i < size; ++i) {
    const double smooth = 1.0 / static_cast<double>(i + 1);
    double value = smooth;
    if (kind == 1) value += std::normal_distribution<double>(0, 0.01)(random);
    if (kind == 2) value = std::bit_cast<double>(random());
    if (kind == 3) value = static_cast<double>(random() % 10);
    out.push_back({static_cast<int64_t>(step), value});
    if (steps == 0) step += 1;
    if (steps == 1) step += 100 + random() % 7;
    if (steps == 2) step = random() % 50;
    if (steps == 3) step = random();
  }
  return out;
}

TEST(Codec, AnySeriesComesBackToTheBit) {
  std::mt19937_64 random(7);
  BlockCodec codec;
  for (int round = 0; round < 300; ++round) {
    const std::vector<StepValue> points = AnySeries(random);
    std::vector<StepValue> back;
    ASSERT_TRUE(codec.Decode(codec.Encode(points), back)) << round;
    ASSERT_TRUE(Same(points, back)) << round;
  }
}

TEST(Codec, SpecialValuesAndSteps) {
  using Limits = std::numeric_limits<double>;
  const std::vector<StepValue> points = {
      {0, 0.0},
      {INT64_MAX, -0.0},
      {INT64_MIN, Limits::infinity()},
      {-1, -Limits::infinity()},
      {1, Limits::quiet_NaN()},
      {1, std::bit_cast<double>(uint64_t{0x7ff0'0000'0000'0001})},
      {1, std::bit_cast<double>(uint64_t{0xffff'ffff'ffff'ffff})},
      {2, Limits::denorm_min()},
      {3, Limits::max()},
      {4, Limits::lowest()},
  };
  BlockCodec codec;
  std::vector<StepValue> back;
  ASSERT_TRUE(codec.Decode(codec.Encode(points), back));
  EXPECT_TRUE(Same(points, back));
}

TEST(Codec, BlocksAreSmall) {
  std::vector<StepValue> smooth;
  for (int64_t i = 0; i < 1'024; ++i) smooth.push_back({i * 100, static_cast<double>(i / 16)});
  BlockCodec codec;
  EXPECT_LT(codec.Encode(smooth).size(), smooth.size());  // Less than a byte a point, of sixteen.
}

TEST(Codec, DamagedBlocksAreRefusedOrDecodeWithoutHarm) {
  std::mt19937_64 random(11);
  BlockCodec codec;
  std::vector<StepValue> points;
  for (int64_t i = 0; i < 300; ++i) points.push_back({i, static_cast<double>(i) / 3});
  const std::string good = codec.Encode(points);
  std::vector<StepValue> back;
  EXPECT_FALSE(codec.Decode("", back));
  EXPECT_FALSE(codec.Decode(std::string("\2") + good.substr(1), back));
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(codec.Decode(good.substr(0, size), back)) << size;
  for (int round = 0; round < 2'000; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    back.clear();
    (void)codec.Decode(bad, back);
    EXPECT_LE(back.size(), BlockCodec::kMaxPoints * 2);
  }
  std::string row;
  PutFresh(1, points, row);
  for (int round = 0; round < 2'000; ++round) {
    std::string bad = row.substr(0, 1 + random() % row.size());
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    (void)ForEachFresh(bad, 0, [](int64_t, const std::vector<StepValue>&) {});
  }
}

TEST(Codec, FreshRowsGiveOneSeriesOrAll) {
  const std::vector<StepValue> a = {{1, 1}, {2, 2}}, b = {{5, -1}};
  std::string row;
  PutFresh(3, a, row);
  PutFresh(700, b, row);
  PutFresh(3, b, row);
  std::string seen;
  const auto note = [&](int64_t series, const std::vector<StepValue>& points) {
    seen += std::to_string(series) + ":" + std::to_string(points.size()) + " ";
  };
  EXPECT_TRUE(ForEachFresh(row, 0, note));
  EXPECT_EQ(seen, "3:2 700:1 3:1 ");
  seen.clear();
  EXPECT_TRUE(ForEachFresh(row, 700, note));
  EXPECT_EQ(seen, "700:1 ");
}

std::string Text(const std::vector<StepValue>& points) {
  std::string out;
  for (const StepValue& point : points) {
    out += std::to_string(point.step) + "=" + std::to_string(static_cast<int>(point.value)) + " ";
  }
  return out;
}

TEST(Buckets, KeepSpikesAndTheEndsOfEveryBucket) {
  std::vector<StepValue> points;
  for (int64_t step = 0; step < 10'000; ++step) points.push_back({step, 5.0});
  points[1234].value = 1000;
  points[7777].value = -1000;
  const auto reduced = InStepOrder(points, 10);
  EXPECT_LE(reduced.size(), 40u);
  EXPECT_NE(Text(reduced).find("1234=1000 "), std::string::npos);
  EXPECT_NE(Text(reduced).find("7777=-1000 "), std::string::npos);
  EXPECT_EQ(reduced.front().step, 0);
  EXPECT_EQ(reduced.back().step, 9'999);
  EXPECT_EQ(Text(InStepOrder({{0, 1}, {1, 3}, {2, 2}, {3, 0}, {4, 1}, {5, 1}, {6, 9}, {7, 1}}, 2)),
            "0=1 1=3 3=0 4=1 6=9 7=1 ");
}

TEST(Buckets, OneStepManyPointsAndHugeSteps) {
  EXPECT_TRUE(InStepOrder({}, 10).empty());
  EXPECT_EQ(Text(InStepOrder({{5, 2}, {5, 1}, {5, 3}, {5, 2}, {5, 2}}, 10)), "5=2 5=1 5=3 5=2 ");
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  // Two buckets: the last point must not open a third.
  EXPECT_EQ(InStepOrder({{0, 1}, {kHuge / 2 + 2048, 1}, {kHuge - 4096, 1}, {kHuge - 2048, 1}, {kHuge, 1}}, 2).size(),
            3u);
}

TEST(Buckets, SummariesStandForTheirPointsHoweverTheyAreCut) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<StepValue> points;
    const uint64_t spread = 1 + random() % 300;
    for (size_t i = 0, size = 1 + random() % 400; i < size; ++i) {
      points.push_back({static_cast<int64_t>(random() % spread), static_cast<double>(random() % 5)});
    }
    const int count = 1 + static_cast<int>(random() % 20);
    const auto [least, largest] = std::minmax_element(
        points.begin(), points.end(), [](const StepValue& a, const StepValue& b) { return a.step < b.step; });
    Buckets buckets(least->step, largest->step, count);
    int64_t place = 0;
    for (std::span<const StepValue> rest = points; !rest.empty();) {
      const auto part = rest.first(std::min(rest.size(), 1 + random() % 9));
      rest = rest.subspan(part.size());
      const Summary whole = Summarise(part);
      Summary stored;
      ASSERT_TRUE(DecodeSummary(EncodeSummary(whole), whole.count, stored));
      if (buckets.InOneBucket(stored.first.point.step, stored.last.point.step)) {
        buckets.Add(stored.Moved(place));
      } else {
        buckets.Add(part, place);
      }
      place += std::ssize(part);
    }
    ASSERT_EQ(Text(buckets.Take()), Text(InStepOrder(points, count))) << round;
  }
}

TEST(PointGroups, AreByMetricAndLabelsInTheOrderOfTheirFirstPoints) {
  const auto groups = Grouped({Point("b", 1, 1), Point("a", 1, 2, {{"y", "2"}, {"x", "1"}}), Point("b", 2, 3),
                               Point("a", 2, 4, {{"x", "1"}, {"y", "2"}}), Point("a", 3, 5), Point("a", 3, 6)});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].key, "b");
  EXPECT_EQ(Text(groups[0].points), "1=1 2=3 ");
  EXPECT_EQ(groups[1].key,
            "a\x1ex\x1f"
            "1\x1ey\x1f"
            "2");
  EXPECT_EQ(groups[1].labels.at("y"), "2");
  EXPECT_EQ(Text(groups[1].points), "1=2 2=4 ");
  EXPECT_EQ(Text(groups[2].points), "3=5 3=6 ");
}

TEST(PointGroups, AForgedKeyMakesAGroupOfItsOwn) {
  const auto groups = Grouped({Point("a", 1, 1, {{"x", "1"}}), Point("a\x1ex\x1f"
                                                                     "1",
                                                                     2, 2)});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].key, groups[1].key);
  EXPECT_EQ(groups[1].metric,
            "a\x1ex\x1f"
            "1");  // For the checks to refuse.
}

}  // namespace
}  // namespace benchwire::storage
