// What the worker says about its machine, on fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "server/base/random.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "workers/agent/gpu_inventory.h"
#include "workers/agent/inventory.h"
#include "workers/agent/machine_facts.h"
#include "workers/agent/nvml.h"

namespace benchwire::agent {
namespace {

using ::testing::HasSubstr;

class MachineTest : public ::testing::Test {
 protected:
  MachineTest() {
    SystemRandom random;
    root_ = std::filesystem::temp_directory_path() / ("benchwire-machine-" + RandomId(random));
    std::filesystem::create_directories(root_);
  }
  ~MachineTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(MachineTest, LeavesEmptyWhatItCannotRead) {
  EXPECT_EQ(ReadCpuModel(root_), "");
  EXPECT_EQ(ReadMemoryBytes(root_), 0);
  EXPECT_TRUE(ReadNumaNodes(root_).empty());
  EXPECT_EQ(ReadOperatingSystem(root_), "");
  EXPECT_EQ(ReadVirtualization(root_, ""), "");
  EXPECT_EQ(ReadPciNumaNode(root_, "0000:18:00.0"), -1);
}

TEST_F(MachineTest, ReadsCpuAndSystem) {
  Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags\t\t: fpu sse\n");
  Write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  EXPECT_EQ(ReadCpuModel(root_), "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(ReadOperatingSystem(root_), "Debian GNU/Linux 12 (bookworm)");
}

TEST_F(MachineTest, TakesTheTightestMemoryLimit) {
  Write("proc/meminfo", "MemTotal:        1000 kB\nMemFree: 5 kB\n");
  EXPECT_EQ(ReadMemoryBytes(root_), 1'024'000);
  Write("proc/self/cgroup", "4:memory:/a/b\n0::/c/d\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(ReadMemoryBytes(root_), 1'024'000);
  Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "900000\n");
  Write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "950000\n");
  EXPECT_EQ(ReadMemoryBytes(root_), 900'000);
  Write("sys/fs/cgroup/c/memory.max", "max\n");
  Write("sys/fs/cgroup/c/d/memory.max", "800000\n");
  EXPECT_EQ(ReadMemoryBytes(root_), 800'000);
}

TEST_F(MachineTest, ReadsNumaNodesByNumber) {
  Write("sys/devices/system/node/node10/cpulist", "8-15\n");
  Write("sys/devices/system/node/node10/meminfo", "Node 10 MemTotal:       2 kB\nNode 10 MemFree: 1 kB\n");
  Write("sys/devices/system/node/node2/cpulist", "0-7\n");
  Write("sys/devices/system/node/node3/cpulist", "\n");
  Write("sys/devices/system/node/online", "2,10\n");
  const auto nodes = ReadNumaNodes(root_);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].id(), 2);
  EXPECT_EQ(nodes[0].cpus(), "0-7");
  EXPECT_EQ(nodes[1].id(), 10);
  EXPECT_EQ(nodes[1].memory_bytes(), 2048);
}

TEST_F(MachineTest, NamesHypervisorAndContainer) {
  Write("proc/cpuinfo", "flags\t\t: fpu sse\n");
  Write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  EXPECT_EQ(ReadVirtualization(root_, ""), "none") << "an EC2 host without hypervisor flag is bare metal";
  Write("proc/cpuinfo", "flags\t\t: fpu hypervisor sse\n");
  EXPECT_EQ(ReadVirtualization(root_, ""), "amazon");
  Write("sys/class/dmi/id/sys_vendor", "");
  EXPECT_EQ(ReadVirtualization(root_, "KVMKVMKVM"), "kvm");
  EXPECT_EQ(ReadVirtualization(root_, ""), "vm-other");
  Write("proc/1/cgroup", "0::/docker/abc\n");
  EXPECT_EQ(ReadVirtualization(root_, "KVMKVMKVM"), "docker+kvm");
  Write("proc/cpuinfo", "flags\t\t: fpu sse\n");
  EXPECT_EQ(ReadVirtualization(root_, ""), "docker");
}

// GPUs 0 and 1 joined by two links, 2 behind a switch with 3, 4 lost.
class FakeNvml final : public Nvml {
 public:
  absl::StatusOr<std::string> DriverVersion() override { return "580.1"; }
  absl::StatusOr<uint32_t> DeviceCount() override { return 5; }
  absl::StatusOr<std::string> Uuid(uint32_t device) override {
    if (device == 4) return absl::UnavailableError("nvmlDeviceGetHandleByIndex_v2: GPU is lost");
    return "GPU-" + std::to_string(device);
  }
  absl::StatusOr<std::string> Model(uint32_t) override { return "H200"; }
  absl::StatusOr<std::string> PciAddress(uint32_t device) override {
    return "0000:0" + std::to_string(device) + ":00.0";
  }
  absl::StatusOr<int64_t> MemoryBytes(uint32_t device) override {
    if (device == 3) return absl::UnavailableError("nvmlDeviceGetMemoryInfo: Unknown Error");
    return 1000;
  }
  absl::StatusOr<int> CommonAncestor(uint32_t first, uint32_t second) override { return first + 1 == second ? 20 : 50; }
  std::vector<NvlinkRemote> ActiveNvlinks(uint32_t device) override {
    if (device == 0) return {{"0000:01:00.0", false}, {"0000:01:00.0", false}};
    if (device == 1) return {{"0000:00:00.0", false}, {"0000:00:00.0", false}};
    return {{"0000:aa:00.0", true}, {"0000:ab:00.0", true}, {"0000:ac:00.0", true}};
  }
};

TEST_F(MachineTest, ReadsGpusAndTheirLinks) {
  Write("sys/bus/pci/devices/0000:01:00.0/numa_node", "1\n");
  Write("sys/bus/pci/devices/0000:02:00.0/numa_node", "-1\n");
  FakeNvml nvml;
  v1::Inventory inventory;
  ReadGpus(nvml, root_, &inventory);
  EXPECT_EQ(inventory.nvidia_driver(), "580.1");
  EXPECT_EQ(inventory.gpu_error(), "GPU 4: nvmlDeviceGetHandleByIndex_v2: GPU is lost");
  ASSERT_EQ(inventory.devices_size(), 4);
  EXPECT_EQ(inventory.devices(1).id(), "gpu:GPU-1");
  EXPECT_EQ(inventory.devices(1).numa_node(), 1);
  EXPECT_EQ(inventory.devices(2).numa_node(), -1);
  EXPECT_TRUE(inventory.devices(2).healthy());
  EXPECT_FALSE(inventory.devices(3).healthy());
  EXPECT_EQ(inventory.devices(3).unhealthy_reason(), "nvmlDeviceGetMemoryInfo: Unknown Error");
  std::map<std::string, v1::DeviceLink> links;
  for (const auto& link : inventory.device_links()) links[link.first().substr(8) + link.second().substr(8)] = link;
  ASSERT_EQ(links.size(), 6U);
  EXPECT_EQ(links["01"].link_class(), v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(links["01"].nvlinks(), 2);
  EXPECT_EQ(links["23"].link_class(), v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(links["23"].nvlinks(), 3);
  EXPECT_EQ(links["12"].link_class(), v1::LINK_CLASS_SAME_SWITCH);
  EXPECT_EQ(links["02"].link_class(), v1::LINK_CLASS_CROSS_SOCKET);
}

TEST_F(MachineTest, ClassifiesLinks) {
  EXPECT_EQ(ClassifyLink(-1, 0), v1::LINK_CLASS_UNSPECIFIED);
  EXPECT_EQ(ClassifyLink(10, 0), v1::LINK_CLASS_SAME_SWITCH);
  EXPECT_EQ(ClassifyLink(30, 0), v1::LINK_CLASS_SAME_SOCKET);
  EXPECT_EQ(ClassifyLink(40, 0), v1::LINK_CLASS_SAME_SOCKET);
  EXPECT_EQ(ClassifyLink(50, 0), v1::LINK_CLASS_CROSS_SOCKET);
  EXPECT_EQ(ClassifyLink(50, 1), v1::LINK_CLASS_NVLINK);
}

TEST_F(MachineTest, NoDriverIsNoError) {
  const absl::Status absent = LoadNvml("libbenchwire-no-such.so.1").status();
  EXPECT_EQ(ErrorReason(absent), "NO_LIBRARY");
  EXPECT_EQ(GpuError(absent, false, root_), "");
  EXPECT_THAT(GpuError(absent, true, root_), HasSubstr("NO_LIBRARY: "));
  Write("proc/driver/nvidia/version", "NVRM version: …");
  EXPECT_THAT(GpuError(absent, false, root_), HasSubstr("DRIVER_WITHOUT_LIBRARY: "));
}

TEST_F(MachineTest, SaysWhyNvmlDoesNotLoad) {
  Write("text.so", "not a library");
  EXPECT_EQ(ErrorReason(LoadNvml(root_ / "text.so").status()), "LIBRARY_UNUSABLE");
  EXPECT_EQ(ErrorReason(LoadNvml("libm.so.6").status()), "SYMBOL_MISSING");
  ASSERT_EQ(setenv("FAKE_NVML_INIT", "9", 1), 0);
  EXPECT_EQ(ErrorReason(LoadNvml(BENCHWIRE_FAKE_NVML).status()), "DRIVER_NOT_LOADED");
  ASSERT_EQ(setenv("FAKE_NVML_INIT", "4", 1), 0);
  EXPECT_EQ(ErrorReason(LoadNvml(BENCHWIRE_FAKE_NVML).status()), "NO_PERMISSION");
  ASSERT_EQ(setenv("FAKE_NVML_INIT", "18", 1), 0);
  EXPECT_EQ(ErrorReason(LoadNvml(BENCHWIRE_FAKE_NVML).status()), "DRIVER_MISMATCH");
  ASSERT_EQ(setenv("FAKE_NVML_INIT", "999", 1), 0);
  EXPECT_EQ(ErrorReason(LoadNvml(BENCHWIRE_FAKE_NVML).status()), "INIT_FAILED");
  ASSERT_EQ(unsetenv("FAKE_NVML_INIT"), 0);
}

TEST_F(MachineTest, ReadsGpusThroughALoadedLibrary) {
  v1::Inventory inventory;
  AddGpus(BENCHWIRE_FAKE_NVML, root_, &inventory);
  EXPECT_EQ(inventory.gpu_error(), "");
  EXPECT_EQ(inventory.nvidia_driver(), "580.00");
  ASSERT_EQ(inventory.devices_size(), 2);
  EXPECT_EQ(inventory.devices(0).id(), "gpu:GPU-fake-0");
  EXPECT_EQ(inventory.devices(1).pci_address(), "0001:19:00.0");
  EXPECT_EQ(inventory.devices(1).memory_bytes(), int64_t{141} << 30);
  ASSERT_EQ(inventory.device_links_size(), 1);
  EXPECT_EQ(inventory.device_links(0).link_class(), v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(inventory.device_links(0).nvlinks(), 18);
}

TEST(SlugTest, MakesAWorkerName) {
  EXPECT_EQ(SlugOf("Node_01.Example.com"), "node-01-example-com");
  EXPECT_EQ(SlugOf("--a--"), "a");
  EXPECT_EQ(SlugOf("主机"), "");
  EXPECT_TRUE(IsSlug(SlugOf(std::string(62, 'a') + ".b")));
}

TEST(LabelTest, ChecksLabels) {
  v1::Inventory inventory;
  EXPECT_TRUE(AddLabel("zone=eu=1", &inventory).ok());
  EXPECT_EQ(inventory.labels().at("zone"), "eu=1");
  EXPECT_FALSE(AddLabel("zone=eu", &inventory).ok());
  EXPECT_FALSE(AddLabel("Zone=eu", &inventory).ok());
  EXPECT_FALSE(AddLabel("novalue", &inventory).ok());
  EXPECT_FALSE(AddLabel("a=\xff", &inventory).ok());
  EXPECT_FALSE(AddLabel("a=x\ny", &inventory).ok());
}

TEST(InventoryTest, ReadsThisMachine) {
  const v1::Inventory inventory = ReadMachine("/");
  EXPECT_GT(inventory.cpus(), 0);
  EXPECT_GT(inventory.memory_bytes(), 0);
  EXPECT_NE(inventory.kernel(), "");
  const auto facts = EnvironmentFacts(inventory);
  EXPECT_EQ(facts.at("agent_version"), BENCHWIRE_VERSION);
  EXPECT_EQ(facts.count("nvidia_driver"), 0U);
}

}  // namespace
}  // namespace benchwire::agent
