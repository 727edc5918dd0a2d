// What was acknowledged outlives a killed process.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "storage/sqlite/store.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/child_process.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::storage {
namespace {

TEST(CrashTest, AcknowledgedJobsOutliveTheirProcess) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/main.db";
  std::vector<std::string> acknowledged;
  for (int round = 0; round < 4; ++round) {
    ChildProcess writer([&](const ChildProcess::Say& say) {
      const auto store = SqliteStore::Open(path, [] {}).value();
      std::vector<std::thread> threads;
      for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
          for (int i = 0;; ++i) {
            const std::string id = "r" + std::to_string(round) + "t" + std::to_string(thread) + "n" + std::to_string(i);
            if (WriteJob(*store, id, 20'000).ok()) say(id);
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    // Long enough to pass several checkpoints; each round is killed at another point.
    for (int i = 0; i < 150 + 37 * round; ++i) {
      const auto id = writer.ReadLine();
      ASSERT_TRUE(id.has_value());
      acknowledged.push_back(*id);
    }
    writer.Kill();
    while (const auto id = writer.ReadLine()) acknowledged.push_back(*id);
    const auto store = SqliteStore::Open(path, [] {});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(CheckJobs(**store, acknowledged), absl::OkStatus());
    EXPECT_EQ(IntegrityCheck(path), "ok");
  }
}

TEST(CrashTest, AcknowledgedTelemetryOutlivesItsProcess) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/telemetry.db";
  const AttemptId attempt{"j1", 1};
  constexpr int64_t kPoints = 300;  // Of a batch. They are moved into blocks now and then.
  ChildProcess writer([&](const ChildProcess::Say& say) {
    const auto store = SqliteTelemetryStore::Open(path, directory.path() + "/artifacts").value();
    for (int64_t sequence = 1;; ++sequence) {
      std::vector<v1::Point> points;
      for (int64_t i = 0; i < kPoints; ++i) points.push_back(Point("loss", sequence * kPoints + i, 1));
      const auto cursor = store->Append({attempt, sequence, std::string(10'000, 'x'), Grouped(points)});
      if (cursor.ok()) say(std::to_string(cursor->last_sequence));
    }
  });
  int64_t last = 0;
  const auto read = [&] {
    const auto line = writer.ReadLine();
    if (line.has_value()) last = std::stoll(*line);
    return line.has_value();
  };
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(read());
  writer.Kill();
  while (read()) continue;
  const auto store = SqliteTelemetryStore::Open(path, directory.path() + "/artifacts");
  ASSERT_TRUE(store.ok()) << store.status();
  const TelemetryCursor cursor = (*store)->GetCursor(attempt).value();
  EXPECT_GE(cursor.last_sequence, last);
  EXPECT_EQ(cursor.log_bytes, cursor.last_sequence * 10'000);
  EXPECT_EQ((*store)->ReadLog(attempt, 0, INT64_MAX)->size(), static_cast<size_t>(cursor.log_bytes));
  EXPECT_EQ(cursor.points, cursor.last_sequence * kPoints);
  const SeriesPoints series = (*store)->ReadSeries({attempt, 1, 0, 90 * kPoints - 1}).value();
  EXPECT_EQ(series.series.point_count(), cursor.points);
  ASSERT_EQ(series.points.size(), static_cast<size_t>(89 * kPoints));
  for (size_t i = 0; i < series.points.size(); ++i) ASSERT_EQ(series.points[i].step, kPoints + static_cast<int64_t>(i));
  EXPECT_EQ(IntegrityCheck(path), "ok");
}

}  // namespace
}  // namespace benchwire::storage
