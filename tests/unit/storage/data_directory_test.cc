#include "storage/data_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "server/base/status.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/child_process.h"

namespace benchwire::storage {
namespace {

std::string AcquireReason(const std::string& path) { return ErrorReason(DataDirectory::Acquire(path).status()); }

TEST(DataDirectoryTest, MakesAPrivateDirectory) {
  const TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/a/数据 with 'quotes'";
  const auto directory = DataDirectory::Acquire(path);
  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ((*directory)->main_database(), path + "/main.db");
  EXPECT_EQ((*directory)->telemetry_database(), path + "/telemetry.db");
}

TEST(DataDirectoryTest, LeavesTheModeOfAnExistingDirectory) {
  const TemporaryDirectory temporary;
  const auto mode = std::filesystem::perms::owner_all | std::filesystem::perms::group_read;
  std::filesystem::permissions(temporary.path(), mode);
  EXPECT_EQ(AcquireReason(temporary.path()), "");
  EXPECT_EQ(std::filesystem::status(temporary.path()).permissions(), mode);
}

TEST(DataDirectoryTest, ASecondOwnerInThisProcessIsRefusedUntilTheFirstLeaves) {
  const TemporaryDirectory temporary;
  {
    const auto first = DataDirectory::Acquire(temporary.path());
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(AcquireReason(temporary.path()), "DATA_DIRECTORY_IN_USE");
    EXPECT_EQ(AcquireReason(temporary.path() + "/."), "DATA_DIRECTORY_IN_USE");
  }
  EXPECT_EQ(AcquireReason(temporary.path()), "");
}

TEST(DataDirectoryTest, ASecondProcessIsRefusedUntilTheFirstIsKilled) {
  const TemporaryDirectory temporary;
  ChildProcess owner([&](const ChildProcess::Say& say) {
    const auto directory = DataDirectory::Acquire(temporary.path());
    say(directory.ok() ? "owner" : directory.status().ToString());
    pause();
  });
  ASSERT_EQ(owner.ReadLine(), "owner");
  EXPECT_EQ(AcquireReason(temporary.path()), "DATA_DIRECTORY_IN_USE");
  owner.Kill();
  EXPECT_EQ(AcquireReason(temporary.path()), "");
}

TEST(DataDirectoryTest, AFileInTheWayIsReported) {
  const TemporaryDirectory temporary;
  const std::string path = temporary.path() + "/file";
  std::ofstream(path) << "x";
  EXPECT_EQ(AcquireReason(path), "DATA_DIRECTORY_UNUSABLE");
  EXPECT_EQ(AcquireReason(path + "/below"), "DATA_DIRECTORY_UNUSABLE");
  EXPECT_EQ(AcquireReason(""), "DATA_DIRECTORY_UNUSABLE");
}

}  // namespace
}  // namespace benchwire::storage
