// Series of many points: whatever batches they came in, a store answers as if it kept a plain list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "storage/series/buckets.h"
#include "tests/conformance/engines.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {
namespace {

using testing::Each;
using testing::SizeIs;

class SeriesConformance : public testing::TestWithParam<Engine> {
 protected:
  TelemetryCursor Append(const std::vector<v1::Point>& points) {
    return store_->Append({attempt_, ++sequence_, "", Grouped(points)}).value();
  }
  void Limit(const TelemetryLimits& limits) {
    store_.reset();
    store_ = GetParam().open_telemetry(directory_.path(), limits);
  }
  std::vector<StepValue> Read(int64_t series, int64_t first, int64_t last, int max_buckets) {
    const auto read = store_->ReadSeries({attempt_, series, first, last, max_buckets});
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->points : std::vector<StepValue>();
  }
  // Compares what is stored with the plain list of it.
  void Compare(int64_t series, const std::vector<StepValue>& expected, std::mt19937_64& random) {
    for (int round = 0; round < 8; ++round) {
      int64_t first = 0, last = INT64_MAX;
      if (round > 2) first = expected[random() % expected.size()].step;
      if (round > 4) last = expected[random() % expected.size()].step;
      const int max_buckets = round % 3 == 0 ? 0 : 1 + static_cast<int>(random() % 40);
      std::vector<StepValue> in_range = expected;
      std::erase_if(in_range, [&](const StepValue& point) { return point.step < first || point.step > last; });
      ASSERT_EQ(Read(series, first, last, max_buckets), InStepOrder(in_range, max_buckets))
          << first << " " << last << " " << max_buckets;
    }
  }

  TemporaryDirectory directory_;
  std::unique_ptr<TelemetryStore> store_ = GetParam().open_telemetry(directory_.path(), {});
  const AttemptId attempt_{"j1", 2};
  int64_t sequence_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engines, SeriesConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(SeriesConformance, BatchesOfAnySizeInAnyOrderOfSteps) {
  std::mt19937_64 random(5);
  std::map<std::string, std::vector<StepValue>> expected;
  int64_t step = 0;
  for (int batch = 1; batch <= 120; ++batch) {
    std::vector<v1::Point> points;
    for (size_t i = 0, size = random() % 3 == 0 ? 700 : random() % 20; i < size; ++i) {
      const double value = static_cast<double>(random() % 1'000);
      points.push_back(Point("rising", ++step, value));
      if (i % 2 == 0) points.push_back(Point("scattered", static_cast<int64_t>(random() % 10'000), value));
      if (i % 50 == 0) points.push_back(Point("rare", step, value));
    }
    for (const v1::Point& point : points) expected[point.metric()].push_back({point.step(), point.value()});
    Append(points);
    if (batch % 15 != 0) continue;
    const std::vector<v1::Series> listed = store_->ListSeries(attempt_).value();
    for (const v1::Series& series : listed) {
      const std::vector<StepValue>& all = expected[series.metric()];
      EXPECT_EQ(series.point_count(), std::ssize(all));
      EXPECT_EQ(series.last_point().step(), all.back().step);
      EXPECT_EQ(series.last_point().value(), all.back().value);
      Compare(ParseSeriesName("name", series.name())->number, all, random);
    }
  }
  EXPECT_GT(expected["rising"].size(), 15'000u);
}

TEST_P(SeriesConformance, ManySeries) {
  constexpr int kSeries = 300, kBatches = 50;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<v1::Point> points;
    for (int i = 0; i < kSeries; ++i) points.push_back(Point("m", batch, i, {{"gpu", std::to_string(i)}}));
    Append(points);
  }
  const std::vector<v1::Series> all = store_->ListSeries(attempt_).value();
  ASSERT_THAT(all, SizeIs(kSeries));
  for (int i = 0; i < kSeries; ++i) {
    const v1::Series& series = all[static_cast<size_t>(i)];
    EXPECT_EQ(series.labels().at("gpu"), std::to_string(i));
    EXPECT_EQ(series.point_count(), kBatches);
    const std::vector<StepValue> points = Read(i + 1, 0, INT64_MAX, 0);
    ASSERT_THAT(points, SizeIs(kBatches));
    EXPECT_THAT(points, Each(testing::Field(&StepValue::value, i)));
  }
}

TEST_P(SeriesConformance, ARepeatedBatchAddsNothing) {
  std::vector<v1::Point> points;
  for (int64_t i = 0; i < 3'000; ++i) points.push_back(Point("m", i, 1));
  for (int64_t sequence = 1; sequence <= 5; ++sequence) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(store_->Append({attempt_, sequence, "", Grouped(points)})->points, sequence * 3'000);
    }
  }
  EXPECT_EQ(store_->ListSeries(attempt_)->front().point_count(), 15'000);
  EXPECT_THAT(Read(1, 0, INT64_MAX, 0), SizeIs(15'000));
}

TEST_P(SeriesConformance, ALongSeriesComesInBucketsOrInParts) {
  const int64_t size = TelemetryStore::kMaxPointsRead + 5'000;
  std::vector<StepValue> expected;
  while (std::ssize(expected) < size) {
    std::vector<v1::Point> points;
    for (int i = 0; i < 7'000; ++i) {
      expected.push_back({std::ssize(expected) * 10, static_cast<double>(std::ssize(expected) % 977)});
      points.push_back(Point("m", expected.back().step, expected.back().value));
    }
    Append(points);
  }
  for (const int max_buckets : {1, 7, 100, 10'000}) {
    EXPECT_EQ(Read(1, 0, INT64_MAX, max_buckets), InStepOrder(expected, max_buckets)) << max_buckets;
  }
  const absl::Status all = store_->ReadSeries({attempt_, 1}).status();
  EXPECT_EQ(ErrorReason(all), "TOO_MANY_POINTS") << all;
  EXPECT_THAT(Read(1, 0, 10 * TelemetryStore::kMaxPointsRead - 1, 0), SizeIs(TelemetryStore::kMaxPointsRead));
}

TEST_P(SeriesConformance, SeriesBeyondTheLimitAreCountedAndNotStored) {
  Limit({.series = 2});
  EXPECT_EQ(Append({Point("a", 1, 1), Point("b", 1, 1), Point("c", 1, 1), Point("c", 2, 1)}).dropped_points, 2);
  const TelemetryCursor cursor = Append({Point("a", 2, 1), Point("d", 1, 1)});
  EXPECT_EQ(cursor.points, 3);
  EXPECT_EQ(cursor.dropped_points, 3);
  EXPECT_EQ(store_->GetCursor(attempt_).value(), cursor);
  EXPECT_THAT(store_->ListSeries(attempt_).value(), SizeIs(2));
  EXPECT_THAT(Read(1, 0, INT64_MAX, 0), SizeIs(2));
}

TEST_P(SeriesConformance, PointsBeyondTheLimitAreCountedAndNotStored) {
  Limit({.points = 3});
  EXPECT_EQ(Append({Point("a", 1, 1), Point("b", 1, 1)}).dropped_points, 0);
  EXPECT_EQ(Append({Point("a", 2, 1), Point("a", 3, 1), Point("b", 2, 1)}).dropped_points, 2);
  const TelemetryCursor cursor = Append({Point("b", 3, 1)});
  EXPECT_EQ(cursor.last_sequence, 3);
  EXPECT_EQ(cursor.points, 3);
  EXPECT_EQ(cursor.dropped_points, 3);
  EXPECT_EQ(Read(1, 0, INT64_MAX, 0), (std::vector<StepValue>{{1, 1}, {2, 1}}));
  EXPECT_EQ(Read(2, 0, INT64_MAX, 0), (std::vector<StepValue>{{1, 1}}));
}

TEST_P(SeriesConformance, ALogBeyondTheLimitIsRefusedWhole) {
  Limit({.log_bytes = 10});
  EXPECT_EQ(store_->Append({attempt_, 1, "12345678", {}})->log_bytes, 8);
  const absl::Status refused = store_->Append({attempt_, 2, "abc", Grouped({Point("a", 1, 1)})}).status();
  EXPECT_EQ(ErrorReason(refused), "LOG_FULL") << refused;
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(store_->GetCursor(attempt_)->last_sequence, 1);
  EXPECT_EQ(store_->Append({attempt_, 2, "ab", Grouped({Point("b", 1, 1)})})->log_bytes, 10);
  EXPECT_EQ(store_->ReadLog(attempt_, 0, INT64_MAX).value(), "12345678ab");
  EXPECT_EQ(store_->ListSeries(attempt_)->front().metric(), "b");
}

}  // namespace
}  // namespace benchwire::storage
