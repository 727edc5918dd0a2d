#include "storage/telemetry_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/engines.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kAll = INT64_MAX;

class TelemetryConformance : public testing::TestWithParam<Engine> {
 protected:
  TelemetryCursor Append(int64_t sequence, const std::string& log, const std::vector<v1::Point>& points = {}) {
    return store_->Append({attempt_, sequence, log, Grouped(points)}).value();
  }
  std::string Log(int64_t offset, int64_t limit) { return store_->ReadLog(attempt_, offset, limit).value(); }
  std::vector<v1::Series> ListSeries() { return store_->ListSeries(attempt_).value(); }
  // The series' number by its metric and labels, checked against its name.
  int64_t NumberOf(const std::string& metric, const std::map<std::string, std::string>& labels) {
    const std::vector<v1::Series> all = ListSeries();
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].name(), AttemptName(attempt_) + "/series/" + std::to_string(i + 1));
      const std::map<std::string, std::string> found(all[i].labels().begin(), all[i].labels().end());
      if (all[i].metric() == metric && found == labels) return static_cast<int64_t>(i + 1);
    }
    return 0;
  }
  std::vector<std::pair<int64_t, double>> Points(int64_t series, int64_t first = 0, int64_t last = INT64_MAX) {
    std::vector<std::pair<int64_t, double>> out;
    const absl::StatusOr<SeriesPoints> read = store_->ReadSeries({attempt_, series, first, last});
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) return out;
    EXPECT_EQ(read->series.name(), SeriesName({attempt_, series}));
    for (const StepValue& point : read->points) out.emplace_back(point.step, point.value);
    return out;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<TelemetryStore> store_ = GetParam().open_telemetry(directory_.path(), {});
  const AttemptId attempt_{"j1", 2};
};

INSTANTIATE_TEST_SUITE_P(Engines, TelemetryConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(TelemetryConformance, AnUnknownAttemptIsEmpty) {
  const TelemetryCursor cursor = store_->GetCursor(attempt_).value();
  EXPECT_EQ(cursor.last_sequence, 0);
  EXPECT_EQ(cursor.log_bytes, 0);
  EXPECT_EQ(Log(0, kAll), "");
  EXPECT_THAT(ListSeries(), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->ReadSeries({attempt_, 1}).status()));
}

TEST_P(TelemetryConformance, BatchesAreStoredOnceAndInOrder) {
  const auto append = [&](int64_t sequence, const std::string& log) {
    const TelemetryCursor cursor = Append(sequence, log, {Point("loss", sequence, 1)});
    EXPECT_EQ(store_->GetCursor(attempt_)->last_sequence, cursor.last_sequence);
    EXPECT_EQ(store_->GetCursor(attempt_)->log_bytes, cursor.log_bytes);
    return std::pair(cursor.last_sequence, cursor.log_bytes);
  };
  EXPECT_THAT(append(2, "early"), Pair(0, 0));
  EXPECT_THAT(append(1, "one"), Pair(1, 3));
  EXPECT_THAT(append(1, "again"), Pair(1, 3));
  EXPECT_THAT(append(3, "early"), Pair(1, 3));
  EXPECT_THAT(append(2, "two"), Pair(2, 6));
  EXPECT_THAT(append(1, "again"), Pair(2, 6));
  EXPECT_THAT(append(0, "zero"), Pair(2, 6));
  EXPECT_EQ(Log(0, kAll), "onetwo");
  EXPECT_THAT(Points(1), ElementsAre(Pair(1, 1), Pair(2, 1)));
}

TEST_P(TelemetryConformance, AttemptsAreApart) {
  Append(1, "mine", {Point("loss", 1, 1)});
  const AttemptId other{"j1", 3};
  EXPECT_EQ(store_->Append({other, 1, "theirs", Grouped({Point("reward", 2, 2)})})->last_sequence, 1);
  EXPECT_EQ(Log(0, kAll), "mine");
  EXPECT_EQ(store_->ReadLog(other, 0, kAll).value(), "theirs");
  EXPECT_EQ(store_->ReadLog({"j2", 2}, 0, kAll).value(), "");
  EXPECT_EQ(ListSeries().size(), 1);
  EXPECT_EQ(store_->ListSeries(other)->front().metric(), "reward");
}

TEST_P(TelemetryConformance, LogReadsCrossBordersAtEveryOffset) {
  std::string whole;
  int64_t sequence = 0;
  for (const size_t size : {1, 3, 0, 17, 2, 0, 0, 40, 1}) {
    std::string log;
    for (size_t i = 0; i < size; ++i) log += static_cast<char>('a' + (whole.size() + i) % 26);
    EXPECT_EQ(Append(++sequence, log).log_bytes, std::ssize(whole) + std::ssize(log));
    whole += log;
  }
  for (size_t offset = 0; offset <= whole.size() + 2; ++offset) {
    for (const size_t limit : {0, 1, 2, 5, 18, 100}) {
      const std::string expected = offset > whole.size() ? "" : whole.substr(offset, limit);
      EXPECT_EQ(Log(static_cast<int64_t>(offset), static_cast<int64_t>(limit)), expected) << offset << " " << limit;
    }
  }
  EXPECT_EQ(Log(5, kAll), whole.substr(5));
}

TEST_P(TelemetryConformance, ALargeBatchReadsBackAroundItsBorders) {
  constexpr size_t kMiB = 1 << 20;
  std::string whole = "head";
  std::string large(2 * kMiB + 123, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2'654'435'761U >> 13);
  Append(1, whole);
  Append(2, large);
  Append(3, "tail");
  whole += large + "tail";
  EXPECT_EQ(Log(0, kAll), whole);
  for (const size_t border : {size_t{4}, kMiB, 4 + kMiB, 2 * kMiB, 4 + 2 * kMiB, whole.size() - 4}) {
    for (size_t offset = border - 2; offset <= border + 2; ++offset) {
      EXPECT_EQ(Log(static_cast<int64_t>(offset), 3), whole.substr(offset, 3)) << offset;
      EXPECT_EQ(Log(static_cast<int64_t>(offset), kMiB), whole.substr(offset, kMiB)) << offset;
    }
  }
}

TEST_P(TelemetryConformance, LogBytesAreKeptExactly) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  Append(1, bytes);
  Append(2, std::string(3, '\0'));
  Append(3, "日志 'x' \"y\"\n");
  EXPECT_EQ(Log(0, kAll), bytes + std::string(3, '\0') + "日志 'x' \"y\"\n");
  EXPECT_EQ(Log(255, 3), bytes.substr(255) + std::string(2, '\0'));
}

TEST_P(TelemetryConformance, SeriesAreByMetricAndAllLabels) {
  const std::map<std::string, std::string> none, gpu0{{"gpu", "0"}}, gpu1{{"gpu", "1"}},
      both{{"gpu", "0"}, {"算法", "it's \"环\""}};
  Append(1, "", {Point("loss", 1, 10), Point("loss", 1, 20, gpu0), Point("reward", 1, 30), Point("loss", 2, 11)});
  Append(2, "", {Point("loss", 3, 40, both), Point("loss", 2, 21, gpu0), Point("loss", 9, 50, gpu1)});
  EXPECT_EQ(ListSeries().size(), 5);
  EXPECT_THAT(Points(NumberOf("loss", none)), ElementsAre(Pair(1, 10), Pair(2, 11)));
  EXPECT_THAT(Points(NumberOf("loss", gpu0)), ElementsAre(Pair(1, 20), Pair(2, 21)));
  EXPECT_THAT(Points(NumberOf("loss", gpu1)), ElementsAre(Pair(9, 50)));
  EXPECT_THAT(Points(NumberOf("loss", both)), ElementsAre(Pair(3, 40)));
  EXPECT_THAT(Points(NumberOf("reward", none)), ElementsAre(Pair(1, 30)));
  EXPECT_EQ(NumberOf("reward", gpu0), 0);
  EXPECT_TRUE(absl::IsNotFound(store_->ReadSeries({attempt_, 6}).status()));
  EXPECT_EQ(ListSeries()[static_cast<size_t>(NumberOf("loss", gpu0) - 1)].point_count(), 2);
}

TEST_P(TelemetryConformance, SeriesNumbersStay) {
  Append(1, "", {Point("m", 1, 1)});
  Append(2, "", {Point("a", 1, 1)});
  Append(3, "", {Point("z", 1, 1), Point("m", 2, 2)});
  EXPECT_EQ(NumberOf("m", {}), 1);
  EXPECT_EQ(NumberOf("a", {}), 2);
  EXPECT_EQ(NumberOf("z", {}), 3);
}

TEST_P(TelemetryConformance, PointsOfARangeComeByStepThenInTheOrderReported) {
  Append(1, "", {Point("loss", 5, 1), Point("loss", 0, 2), Point("loss", 5, 3)});
  Append(2, "", {Point("loss", 1, 4)});
  Append(3, "", {Point("loss", 9, 5), Point("loss", INT64_MAX, 6)});
  EXPECT_THAT(Points(1), ElementsAre(Pair(0, 2), Pair(1, 4), Pair(5, 1), Pair(5, 3), Pair(9, 5), Pair(INT64_MAX, 6)));
  EXPECT_THAT(Points(1, 1, 5), ElementsAre(Pair(1, 4), Pair(5, 1), Pair(5, 3)));
  EXPECT_THAT(Points(1, 0, 0), ElementsAre(Pair(0, 2)));
  EXPECT_THAT(Points(1, 9, 9), ElementsAre(Pair(9, 5)));
  EXPECT_THAT(Points(1, 2, 4), IsEmpty());
  EXPECT_THAT(Points(1, INT64_MAX, INT64_MAX), ElementsAre(Pair(INT64_MAX, 6)));
}

TEST_P(TelemetryConformance, ValuesAreKeptToTheBit) {
  const double third = 1.0 / 3.0;
  Append(1, "", {Point("loss", 1, third), Point("loss", 2, -0.0), Point("loss", 3, 5e-324)});
  const auto points = Points(1);
  ASSERT_EQ(points.size(), 3);
  EXPECT_EQ(points[0].second, third);
  EXPECT_TRUE(std::signbit(points[1].second));
  EXPECT_EQ(points[2].second, 5e-324);
}

TEST_P(TelemetryConformance, ManyReportersKeepTheirOwnOrder) {
  constexpr int kReporters = 8, kBatches = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < kReporters; ++i) {
    threads.emplace_back([&, i] {
      const AttemptId mine{"job" + std::to_string(i), 1};
      std::string whole;
      for (int sequence = 1; sequence <= kBatches; ++sequence) {
        const std::string line = std::to_string(i) + ":" + std::to_string(sequence) + "\n";
        whole += line;
        const auto cursor = store_->Append({mine, sequence, line, Grouped({Point("loss", sequence, i)})});
        ASSERT_TRUE(cursor.ok()) << cursor.status();
        EXPECT_EQ(cursor->last_sequence, sequence);
        EXPECT_EQ(cursor->log_bytes, std::ssize(whole));
        const auto log = store_->ReadLog(mine, 0, kAll);
        ASSERT_TRUE(log.ok()) << log.status();
        EXPECT_EQ(*log, whole);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kReporters; ++i) {
    EXPECT_EQ(store_->ReadSeries({{"job" + std::to_string(i), 1}, 1})->points.size(), kBatches);
  }
}

TEST_P(TelemetryConformance, RivalReportersOfOneAttemptStoreEachBatchOnce) {
  constexpr int kReporters = 8;
  constexpr int64_t kBatches = 30;
  std::vector<std::thread> threads;
  for (int i = 0; i < kReporters; ++i) {
    threads.emplace_back([&] {
      for (int64_t wanted = 1; wanted <= kBatches;) {
        const auto cursor = store_->Append({attempt_, wanted, std::to_string(wanted) + "\n", {}});
        ASSERT_TRUE(cursor.ok()) << cursor.status();
        EXPECT_GE(cursor->last_sequence, wanted);
        wanted = cursor->last_sequence + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (int64_t i = 1; i <= kBatches; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(Log(0, kAll), expected);
}

}  // namespace
}  // namespace benchwire::storage
