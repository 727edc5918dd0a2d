// A directory of a test's own that stands for the root of a machine's /proc and /sys.
#ifndef BENCHWIRE_TESTS_UNIT_P2P_TEMP_ROOT_H_
#define BENCHWIRE_TESTS_UNIT_P2P_TEMP_ROOT_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace benchwire::p2p {

class TempRoot {
 public:
  TempRoot()
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("root_") + ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TempRoot() { std::filesystem::remove_all(path_); }

  void Put(const std::string& path, const std::string& text) const {
    const std::filesystem::path full = path_.string() + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_TESTS_UNIT_P2P_TEMP_ROOT_H_
