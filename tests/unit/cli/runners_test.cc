#include "clients/cli/runners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace benchwire::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunnersTest : public testing::Test {
 protected:
  RunnersTest() {
    std::string path = testing::TempDir() + "/runners-XXXXXX";
    root_ = ::mkdtemp(path.data());
    for (const char* name : {"/a", "/b"}) std::filesystem::create_directory(root_ + name);
  }
  ~RunnersTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, mode_t mode) {
    std::ofstream(root_ + name) << "#!/bin/sh\n";
    ASSERT_EQ(::chmod((root_ + name).c_str(), mode), 0);
  }
  std::string root_;
};

TEST_F(RunnersTest, TheFirstDirectoryWithAProgramWins) {
  Write("/a/benchwire-p2p", 0644);  // Not a program.
  Write("/b/benchwire-p2p", 0755);
  EXPECT_EQ(*FindRunner("p2p", {root_ + "/a", root_ + "/b"}), root_ + "/b/benchwire-p2p");
  Write("/a/benchwire-p2p", 0755);
  ::chmod((root_ + "/a/benchwire-p2p").c_str(), 0755);
  EXPECT_EQ(*FindRunner("p2p", {root_ + "/a", root_ + "/b"}), root_ + "/a/benchwire-p2p");
  std::filesystem::create_directory(root_ + "/a/benchwire-nas");
  const auto missing = FindRunner("nas", {root_ + "/a", root_ + "/b"});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr(root_ + "/a, " + root_ + "/b"));
}

TEST_F(RunnersTest, BesideTheProgramComesBeforePath) {
  ASSERT_EQ(::setenv("PATH", "/first::/second", 1), 0);
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  EXPECT_THAT(RunnerDirectories(""), ElementsAre(own, "/first", "/second"));
  EXPECT_THAT(RunnerDirectories("/only"), ElementsAre("/only"));
}

}  // namespace
}  // namespace benchwire::cli
