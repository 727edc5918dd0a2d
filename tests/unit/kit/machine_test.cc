#include "workers/kit/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace benchwire::kit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A root directory made of files.
class MachineTest : public ::testing::Test {
 protected:
  MachineTest()
      : root_(std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(root_);
  }
  ~MachineTest() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_.string() + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

TEST(ParseCpuListTest, RangesAndSingles) {
  EXPECT_THAT(ParseCpuList("0-3,8,10-11"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(ParseCpuList("5"), ElementsAre(5));
  for (const char* bad : {"", "x", "3-1", "-1", "0-99999999"}) EXPECT_THAT(ParseCpuList(bad), IsEmpty()) << bad;
}

TEST_F(MachineTest, AvailableMemoryIsTheLeastOfAllLimits) {
  EXPECT_EQ(AvailableMemoryBytes(root()), std::nullopt);
  Put("/proc/meminfo", "MemTotal:       2000 kB\nMemFree:        10 kB\nMemAvailable:   1000 kB\n");
  EXPECT_EQ(AvailableMemoryBytes(root()), 1000 * 1024);
  // Version 2: the parent's limit is the tighter one.
  Put("/proc/self/cgroup", "0::/job/run\n");
  Put("/sys/fs/cgroup/job/run/memory.max", "max\n");
  Put("/sys/fs/cgroup/job/run/memory.current", "1000\n");
  Put("/sys/fs/cgroup/job/memory.max", "500000\n");
  Put("/sys/fs/cgroup/job/memory.current", "450000\n");
  Put("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 10000\n");
  EXPECT_EQ(AvailableMemoryBytes(root()), 60'000);
}

TEST_F(MachineTest, AvailableMemoryKnowsCgroupVersion1) {
  Put("/proc/meminfo", "MemAvailable:   1000 kB\n");
  Put("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
  Put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "100000\n");
  Put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "120000\n");
  EXPECT_EQ(AvailableMemoryBytes(root()), 0);
}

TEST_F(MachineTest, ReadsNodeMeminfo) {
  Put("/node/meminfo", "Node 0 MemTotal:  8 kB\nNode 0 MemFree:   4 kB\nNode 0 Inactive(file): 2 kB\n");
  EXPECT_EQ(MemInfoBytes(root() + "/node/meminfo", "MemFree"), 4096);
  EXPECT_EQ(MemInfoBytes(root() + "/node/meminfo", "Inactive(file)"), 2048);
  EXPECT_EQ(MemInfoBytes(root() + "/node/meminfo", "Free"), std::nullopt);
}

TEST_F(MachineTest, FactsAreReadAndMissingOnesLeftOut) {
  EXPECT_EQ(MachineFacts(root()).count("cpu_model"), 0u);
  Put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU\nflags\t\t: fpu hypervisor sse\n");
  Put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  Put("/sys/devices/system/node/online", "0-1\n");
  Put("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
  Put("/sys/devices/system/cpu/cpu0/cache/index3/size", "16M\n");
  const auto facts = MachineFacts(root());
  EXPECT_EQ(facts.at("cpu_model"), "Test CPU");
  EXPECT_EQ(facts.at("virtualization"), "vm: QEMU");
  EXPECT_EQ(facts.at("numa_nodes"), "2");
  EXPECT_EQ(facts.at("llc_bytes"), "16777216");
  EXPECT_EQ(facts.count("governor"), 0u);
  EXPECT_EQ(LastLevelCacheBytes(root()), 16 << 20);
}

TEST(MachineFactsTest, TheRealMachineHasTheBasics) {
  const auto facts = MachineFacts("");
  for (const char* key : {"kernel", "memory_bytes", "compiler", "virtualization"})
    EXPECT_EQ(facts.count(key), 1u) << key;
}

}  // namespace
}  // namespace benchwire::kit
