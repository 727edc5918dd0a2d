// The write-ahead log stays bounded, whatever readers do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "storage/sqlite/store.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::storage {
namespace {

constexpr size_t kMiB = 1 << 20;

class LogGrowthTest : public testing::Test {
 protected:
  // Writes so many MiB, and returns the largest size of the log seen on the way, in MiB.
  size_t WriteMiB(int count) {
    size_t largest = 0;
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(WriteJob(*store_, "j" + std::to_string(i), kMiB), absl::OkStatus());
      largest = std::max(largest, static_cast<size_t>(std::filesystem::file_size(path_ + "-wal")));
    }
    return largest / kMiB;
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/main.db";
  std::unique_ptr<SqliteStore> store_ = SqliteStore::Open(path_, [] {}).value();
};

TEST_F(LogGrowthTest, WithoutReadersTheLogBeginsAnewAfterACheckpoint) {
  // A checkpoint is due at 4 MiB; the write that reaches it may add one more.
  EXPECT_LE(WriteMiB(30), 6);
}

TEST_F(LogGrowthTest, AnOldReaderHoldsTheLogOnlyWhileItReads) {
  EXPECT_EQ(store_->Read([&](const View& v) -> absl::Status {
    RETURN_IF_ERROR(v.events().LastRevision().status());
    EXPECT_GE(WriteMiB(10), 10);
    return absl::OkStatus();
  }),
            absl::OkStatus());
  const auto before = std::filesystem::file_size(path_ + "-wal");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(WriteJob(*store_, "k" + std::to_string(i), kMiB), absl::OkStatus());
  EXPECT_LE(std::filesystem::file_size(path_ + "-wal"), before + 6 * kMiB);
  store_.reset();
  EXPECT_EQ(IntegrityCheck(path_), "ok");
}

TEST_F(LogGrowthTest, ReadersThatOverlapWithoutAGapDoNotKeepItGrowing) {
  std::atomic<bool> stop = false;
  std::atomic<int64_t> entered[2] = {0, 0};
  // Each reader stays for longer than a write takes, and leaves only after the other has begun: at every moment one of
  // them reads, and at most writes one that began before the latest checkpoint.
  const auto read = [&](int mine) {
    while (!stop) {
      EXPECT_EQ(store_->Read([&](const View& v) -> absl::Status {
        RETURN_IF_ERROR(v.events().LastRevision().status());
        ++entered[mine];
        const int64_t others = entered[1 - mine];
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        while (!stop && entered[1 - mine] == others) std::this_thread::yield();
        return absl::OkStatus();
      }),
                absl::OkStatus());
    }
  };
  std::thread first(read, 0), second(read, 1);
  // The log is cut at 64 MiB, at the next checkpoint that is due.
  EXPECT_LE(WriteMiB(120), 85);
  stop = true;
  first.join();
  second.join();
}

}  // namespace
}  // namespace benchwire::storage
