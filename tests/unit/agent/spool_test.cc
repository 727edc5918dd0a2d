#include "workers/agent/spool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fakes/temporary_directory.h"

namespace benchwire::agent {
namespace {

FinishedAttempt Finished(const std::string& attempt, int batches) {
  FinishedAttempt finished;
  finished.incarnation = "incarnation-1";
  finished.completion.mutable_fence()->set_attempt(attempt);
  finished.completion.set_last_sequence(batches);
  for (int i = 1; i <= batches; ++i) {
    finished.batches.emplace_back().set_sequence(i);
    finished.batches.back().set_log(std::string("line\0\n", 6));
  }
  return finished;
}

class SpoolTest : public ::testing::Test {
 protected:
  void Truncate(const std::string& file, uintmax_t size) { std::filesystem::resize_file(path_ / file, size); }

  TemporaryDirectory directory_;
  const std::filesystem::path path_{directory_.path()};
  Spool spool_{path_};
};

TEST_F(SpoolTest, WhatIsKeptIsListedUntilItIsRemoved) {
  const FinishedAttempt first = Finished("jobs/a/attempts/1", 3);
  ASSERT_TRUE(spool_.Keep(first).ok());
  ASSERT_TRUE(spool_.Keep(Finished("jobs/b/attempts/12", 0)).ok());
  const auto listed = Spool(path_).List();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].name(), "jobs/a/attempts/1");
  EXPECT_EQ(listed[0].incarnation, "incarnation-1");
  EXPECT_EQ(listed[0].completion.SerializeAsString(), first.completion.SerializeAsString());
  ASSERT_EQ(listed[0].batches.size(), 3U);
  EXPECT_EQ(listed[0].batches[2].SerializeAsString(), first.batches[2].SerializeAsString());
  EXPECT_TRUE(listed[1].batches.empty());
  spool_.Remove("jobs/a/attempts/1");
  spool_.Remove("jobs/never/attempts/1");
  EXPECT_EQ(spool_.List().size(), 1U);
}

TEST_F(SpoolTest, KeepingAgainReplaces) {
  ASSERT_TRUE(spool_.Keep(Finished("jobs/a/attempts/1", 3)).ok());
  ASSERT_TRUE(spool_.Keep(Finished("jobs/a/attempts/1", 1)).ok());
  const auto listed = spool_.List();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].batches.size(), 1U);
}

TEST_F(SpoolTest, ADamagedFileIsPutAsideAndTheOthersAreRead) {
  ASSERT_TRUE(spool_.Keep(Finished("jobs/a/attempts/1", 3)).ok());
  ASSERT_TRUE(spool_.Keep(Finished("jobs/b/attempts/1", 3)).ok());
  const std::string file = "jobs-a-attempts-1.finished";
  Truncate(file, std::filesystem::file_size(path_ / file) - 1);
  std::ofstream(path_ / "jobs-c-attempts-1.finished.tmp") << "cut off";
  const auto listed = spool_.List();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].name(), "jobs/b/attempts/1");
  EXPECT_TRUE(std::filesystem::exists(path_ / (file + ".unreadable")));
  EXPECT_FALSE(std::filesystem::exists(path_ / "jobs-c-attempts-1.finished.tmp"));
}

TEST_F(SpoolTest, SaysWhereItCannotWrite) {
  Spool nowhere(path_ / "nosuch");
  const absl::Status status = nowhere.Keep(Finished("jobs/a/attempts/1", 0));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("nosuch"), std::string::npos) << status;
}

}  // namespace
}  // namespace benchwire::agent
