// What an earlier version stored, and what an earlier process stored.
#include <benchwire/v1/job_service.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/series/buckets.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {
namespace {

class TelemetryUpgradeTest : public testing::Test {
 protected:
  // Two batches of one series, as schema 1 has them.
  void WriteFirstSchema(const std::vector<std::vector<StepValue>>& batches) {
    auto connection = Connection::Open(path_, Access::kReadWrite).value();
    ASSERT_EQ(connection->Migrate({TelemetryMigrations()[0]}), absl::OkStatus());
    v1::Series series;
    series.set_name(SeriesName({attempt_, 1}));
    series.set_metric("loss");
    Command<std::string, int64_t, int64_t, int64_t, int64_t, Bytes> add_block(
        connection->session(), "INSERT INTO point_blocks VALUES (:job, :attempt, 1, :sequence, :least, :largest, :p)");
    for (size_t i = 0; i < batches.size(); ++i) {
      v1::SeriesData data;
      for (const StepValue& point : batches[i]) {
        data.add_points()->set_step(point.step);
        data.mutable_points()->rbegin()->set_value(point.value);
      }
      const Summary summary = Summarise(batches[i]);
      ASSERT_TRUE(add_block
                      .Execute(attempt_.job, attempt_.number, static_cast<int64_t>(i + 1), summary.first.point.step,
                               summary.last.point.step, Bytes{data.SerializeAsString()})
                      .ok());
      series.set_point_count(series.point_count() + summary.count);
    }
    Command<std::string, int64_t, Bytes> add_series(connection->session(),
                                                    "INSERT INTO series VALUES (:job, :attempt, 1, 'loss', :resource)");
    ASSERT_TRUE(add_series.Execute(attempt_.job, attempt_.number, Bytes{series.SerializeAsString()}).ok());
    Command<std::string, int64_t, int64_t> add_cursor(connection->session(),
                                                      "INSERT INTO cursors VALUES (:job, :attempt, :last, 0)");
    ASSERT_TRUE(add_cursor.Execute(attempt_.job, attempt_.number, static_cast<int64_t>(batches.size())).ok());
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/telemetry.db";
  const AttemptId attempt_{"j1", 1};
};

TEST_F(TelemetryUpgradeTest, SeriesOfTheFirstSchemaAreReadAndGoOn) {
  WriteFirstSchema({{{1, 1}, {5, 2}}, {{2, 3}, {9, 4}}});
  std::vector<StepValue> expected = {{1, 1}, {2, 3}, {5, 2}, {9, 4}};
  {
    const auto store = SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts").value();
    EXPECT_EQ(store->ReadSeries({attempt_, 1})->points, expected);
    EXPECT_EQ(store->ReadSeries({attempt_, 1, 2, 5})->points, (std::vector<StepValue>{{2, 3}, {5, 2}}));
    EXPECT_EQ(store->ReadSeries({attempt_, 1, 0, INT64_MAX, 2})->points, expected);
    EXPECT_EQ(store->ListSeries(attempt_)->front().point_count(), 4);
    EXPECT_FALSE(store->ListSeries(attempt_)->front().has_last_point());
  }
  // A job that runs while the server is brought up to date reports on.
  const auto store = SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts").value();
  std::vector<v1::Point> points;
  for (int64_t step = 10; step < 10'010; ++step) {
    points.push_back(Point("loss", step, 7));
    expected.push_back({step, 7});
  }
  ASSERT_EQ(store->Append({attempt_, 3, "", Grouped(points)})->last_sequence, 3);
  points = {Point("loss", 3, 8)};
  expected.insert(expected.begin() + 2, {3, 8});
  ASSERT_EQ(store->Append({attempt_, 4, "", Grouped(points)})->last_sequence, 4);
  EXPECT_EQ(store->ReadSeries({attempt_, 1})->points, expected);
  EXPECT_EQ(store->ReadSeries({attempt_, 1, 0, INT64_MAX, 30})->points, InStepOrder(expected, 30));
  const v1::Series series = store->ListSeries(attempt_)->front();
  EXPECT_EQ(series.point_count(), 10'005);
  EXPECT_EQ(series.last_point().step(), 3);
}

TEST_F(TelemetryUpgradeTest, ARestartAfterEveryBatchChangesNothing) {
  std::vector<StepValue> expected;
  for (int64_t sequence = 1; sequence <= 40; ++sequence) {
    std::vector<v1::Point> points;
    for (int64_t i = 0; i < 600; ++i) {
      expected.push_back({sequence * 1'000 + i, static_cast<double>(i)});
      points.push_back(Point("loss", expected.back().step, expected.back().value, {{"gpu", "0"}}));
    }
    const auto store = SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts").value();
    ASSERT_EQ(store->Append({attempt_, sequence, "", Grouped(points)})->last_sequence, sequence);
    ASSERT_EQ(store->ListSeries(attempt_)->size(), 1u);
    ASSERT_EQ(store->ReadSeries({attempt_, 1})->points, expected);
  }
}

TEST_F(TelemetryUpgradeTest, ManySmallBatchesBecomeFewRows) {
  {
    const auto store = SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts").value();
    for (int64_t sequence = 1; sequence <= 2'000; ++sequence) {
      store->AppendAsync({attempt_, sequence, "", Grouped({Point("a", sequence, 1), Point("b", sequence, 2)})},
                         [](absl::StatusOr<TelemetryCursor> cursor) { EXPECT_TRUE(cursor.ok()); });
    }
  }
  auto connection = Connection::Open(path_, Access::kReadOnly).value();
  int rows = 0, points = 0;
  connection->session() << "SELECT (SELECT COUNT(*) FROM blocks) + (SELECT COUNT(*) FROM fresh_points), "
                           "(SELECT SUM(points) FROM blocks) + (SELECT SUM(points) FROM fresh_points)",
      soci::into(rows), soci::into(points);
  EXPECT_LT(rows, 300);
  EXPECT_EQ(points, 4'000);
}

}  // namespace
}  // namespace benchwire::storage
