#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/p2p/temp_root.h"
#include "workers/p2p/host/host_backend.h"
#include "workers/p2p/host/memory.h"
#include "workers/p2p/host/topology.h"

namespace benchwire::p2p::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HostTopologyTest : public ::testing::Test {
 protected:
  void PutNode(int id, const std::string& cpus, int kilobytes) {
    const std::string dir = "/sys/devices/system/node/node" + std::to_string(id) + "/";
    root.Put(dir + "cpulist", cpus + "\n");
    root.Put(dir + "meminfo", "Node 0 MemTotal: " + std::to_string(kilobytes) +
                                  " kB\nNode 0 MemFree: " + std::to_string(kilobytes) + " kB\n");
  }
  void PutTwoNodes() {
    root.Put("/sys/devices/system/node/online", "0-2\n");
    PutNode(0, "0-3", 1000);
    PutNode(1, "4-7", 2000);
    PutNode(2, "", 4000);  // Memory without CPUs.
  }
  std::vector<std::string> Ids(const std::vector<int>& allowed, const std::vector<std::string>& named = {},
                               const std::vector<std::string>& granted = {}) {
    topology = *ReadTopology(root.path(), allowed, named, granted);
    std::vector<std::string> ids;
    for (const Endpoint& endpoint : topology.endpoints) ids.push_back(endpoint.id);
    return ids;
  }

  TempRoot root;
  Topology topology;
};

TEST_F(HostTopologyTest, TwoNodesAreEndpoints) {
  PutTwoNodes();
  EXPECT_THAT(Ids({0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre("numa:0", "numa:1"));
  EXPECT_FALSE(topology.single_node);
  EXPECT_EQ(topology.endpoints[1].kind, "host_node");
  EXPECT_EQ(topology.endpoints[1].memory_bytes, 2000 * 1024);
  EXPECT_EQ(topology.places[1].cpu, 4);
  EXPECT_EQ(topology.places[1].node, 1);
}

TEST_F(HostTopologyTest, TheAffinityMaskAndCpusetAreRespected) {
  PutTwoNodes();
  EXPECT_THAT(Ids({2, 3, 6}), ElementsAre("numa:0", "numa:1"));
  EXPECT_EQ(topology.places[0].cpu, 2);
  EXPECT_THAT(Ids({1, 2}), ElementsAre("core:1", "core:2"));
  EXPECT_TRUE(topology.single_node);
  root.Put("/proc/self/status", "Name:\tx\nMems_allowed_list:\t1\n");
  EXPECT_THAT(Ids({3, 4}), ElementsAre("core:3", "core:4"));
}

TEST_F(HostTopologyTest, OneNodeGivesCoresEvenlyChosen) {
  std::vector<int> allowed(16);
  for (int i = 0; i < 16; ++i) allowed[static_cast<std::size_t>(i)] = i;
  EXPECT_THAT(Ids(allowed), ElementsAre("core:0", "core:4", "core:8", "core:12"));
  EXPECT_EQ(topology.cores_left_out, 12u);
  EXPECT_THAT(Ids(allowed, {"core:3"}), ElementsAre("core:0", "core:3", "core:4", "core:8", "core:12"));
  EXPECT_EQ(topology.endpoints[0].numa_node, -1);
}

TEST_F(HostTopologyTest, GrantedDevicesAreTheOnlyOnes) {
  PutTwoNodes();
  EXPECT_THAT(Ids({0, 4}, {}, {"numa:1"}), ElementsAre("numa:1"));
  EXPECT_THAT(Ids({0, 1, 4}, {}, {"core:1", "core:4"}), ElementsAre("core:1", "core:4"));
  const auto none = ReadTopology(root.path(), {0, 4}, {}, {"numa:9"});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, "NO_CPU");
  EXPECT_THAT(none.error().message, HasSubstr("numa:9"));
  EXPECT_FALSE(ReadTopology(root.path(), {}, {}, {}).ok());
}

TEST_F(HostTopologyTest, HopsFollowNodes) {
  PutTwoNodes();
  HostBackend backend(PointContext{root.path(), *ReadTopology(root.path(), {0, 4}, {}, {}), nullptr, nullptr});
  const std::vector<Link> links = backend.Links();
  ASSERT_EQ(links.size(), 4u);
  EXPECT_EQ(links[0].hop, "SAME_NODE");
  EXPECT_EQ(links[1].hop, "CROSS_NODE");
  EXPECT_FALSE(links[1].can_access);
}

TEST_F(HostTopologyTest, MemoryIsCheckedForTheProcessAndTheNode) {
  EXPECT_FALSE(MemoryRefusal(root.path(), 1 << 20, {}));  // Unknown: the kernel will say.
  root.Put("/proc/meminfo", "MemAvailable: 1048576 kB\n");
  EXPECT_FALSE(MemoryRefusal(root.path(), 800 << 20, {}));
  const auto refusal = MemoryRefusal(root.path(), 1000 << 20, {});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, kit::RowStatus::kWaived);
  EXPECT_THAT(refusal->reason, HasSubstr("needs 1.049 GB and 134.2 MB in reserve, this process has 1.074 GB"));
  root.Put("/sys/devices/system/node/node1/meminfo", "Node 1 MemFree: 262144 kB\nNode 1 Inactive(file): 1024 kB\n");
  EXPECT_FALSE(MemoryRefusal(root.path(), 300 << 20, {{1, 100 << 20}}));
  const auto node = MemoryRefusal(root.path(), 300 << 20, {{1, 200 << 20}});
  ASSERT_TRUE(node);
  EXPECT_THAT(node->reason, HasSubstr("node 1 has 269.5 MB"));
}

TEST(NodeMemoryTest, ARefusedBindingIsAWarningNotAnEnd) {
  std::vector<std::string> codes;
  const Warn warn = [&](const std::string& code, const std::string&) { codes.push_back(code); };
  const kit::Result<NodeMemory> memory = NodeMemory::Map(8192, 1023, warn);  // No machine of ours has such a node.
  ASSERT_TRUE(memory.ok());
  EXPECT_THAT(codes, ElementsAre("MBIND_REFUSED"));
  memory->data()[8191] = std::byte{1};
  const kit::Result<NodeMemory> huge = NodeMemory::Map(std::int64_t{1} << 62, std::nullopt, warn);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, "OUT_OF_MEMORY");
}

}  // namespace
}  // namespace benchwire::p2p::host
