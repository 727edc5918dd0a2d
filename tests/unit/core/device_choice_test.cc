#include "server/core/device_choice.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using Devices = std::vector<std::string>;

// The choice among these GPUs, all where none are named.
std::optional<Devices> Choose(const v1::Inventory& inventory, int count, v1::LinkClass link_class,
                              const std::set<int>& free = {}) {
  std::vector<const v1::Device*> devices;
  for (int i = 0; i < inventory.devices_size(); ++i) {
    if (free.empty() || free.contains(i)) devices.push_back(&inventory.devices(i));
  }
  return ChooseDevices(inventory, devices, count, link_class);
}

TEST(ChooseDevices, OfEqualOnesTheFirst) {
  EXPECT_EQ(Choose(Machine(4), 0, v1::LINK_CLASS_UNSPECIFIED), Devices{});
  EXPECT_EQ(Choose(Machine(4), 2, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:0", "gpu:1"}));
  EXPECT_EQ(Choose(Machine(4), 4, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:0", "gpu:1", "gpu:2", "gpu:3"}));
  EXPECT_FALSE(Choose(Machine(4), 5, v1::LINK_CLASS_UNSPECIFIED));
}

TEST(ChooseDevices, PairsStayWhole) {
  const v1::Inventory machine = Grouped(8, 2, v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_SAME_SWITCH);
  EXPECT_EQ(Choose(machine, 2, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:0", "gpu:1"}));
  // One alone: the one whose partner is in use.
  EXPECT_EQ(Choose(machine, 1, v1::LINK_CLASS_UNSPECIFIED, {0, 1, 2, 3, 5, 6, 7}), (Devices{"gpu:5"}));
  // Three: a pair and the single one.
  EXPECT_EQ(Choose(machine, 3, v1::LINK_CLASS_UNSPECIFIED, {0, 1, 2, 3, 5, 6, 7}),
            (Devices{"gpu:0", "gpu:1", "gpu:5"}));
  // Two single ones are better used than a pair.
  EXPECT_EQ(Choose(machine, 2, v1::LINK_CLASS_UNSPECIFIED, {0, 1, 3, 5}), (Devices{"gpu:3", "gpu:5"}));
  EXPECT_EQ(Choose(machine, 2, v1::LINK_CLASS_NVLINK, {0, 1, 3, 5}), (Devices{"gpu:0", "gpu:1"}));
  EXPECT_FALSE(Choose(machine, 2, v1::LINK_CLASS_NVLINK, {1, 3, 5, 7}));
}

TEST(ChooseDevices, AStrongLinkOutweighsAnyNumberOfWeakOnes) {
  v1::Inventory machine = Grouped(64, 64, v1::LINK_CLASS_SAME_SOCKET, v1::LINK_CLASS_UNSPECIFIED);
  machine.clear_device_links();
  for (int i = 2; i < 64; ++i) Link(machine, 0, i, v1::LINK_CLASS_SAME_SOCKET);
  Link(machine, 1, 2, v1::LINK_CLASS_SAME_SWITCH);
  for (int i = 3; i < 64; ++i) Link(machine, i, i == 63 ? 3 : i + 1, v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(Choose(machine, 1, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:0"}));
}

TEST(ChooseDevices, SmallDevicesGoFirst) {
  v1::Inventory machine = Machine(3);
  machine.mutable_devices(0)->set_memory_bytes(100);
  EXPECT_EQ(Choose(machine, 1, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:1"}));
  EXPECT_EQ(Choose(machine, 2, v1::LINK_CLASS_UNSPECIFIED), (Devices{"gpu:1", "gpu:2"}));
}

TEST(ChooseDevices, EachTwoMustBeAsCloseAsWanted) {
  // A ring of NVLinks: no three are all linked.
  v1::Inventory ring = Machine(6);
  for (int i = 0; i < 6; ++i) Link(ring, i, (i + 1) % 6, v1::LINK_CLASS_NVLINK);
  EXPECT_TRUE(Choose(ring, 2, v1::LINK_CLASS_NVLINK));
  EXPECT_FALSE(Choose(ring, 3, v1::LINK_CLASS_NVLINK));
  EXPECT_FALSE(Choose(ring, 3, v1::LINK_CLASS_CROSS_SOCKET));  // What is not known is not close.
  EXPECT_TRUE(Choose(ring, 6, v1::LINK_CLASS_UNSPECIFIED));
  // The mesh of an eight-GPU machine of 2017: two groups of four, each GPU linked to its twin.
  v1::Inventory mesh = Machine(8);
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      Link(mesh, a, b, a / 4 == b / 4 || b == a + 4 ? v1::LINK_CLASS_NVLINK : v1::LINK_CLASS_CROSS_SOCKET);
    }
  }
  EXPECT_EQ(Choose(mesh, 4, v1::LINK_CLASS_NVLINK, {1, 2, 4, 5, 6, 7}), (Devices{"gpu:4", "gpu:5", "gpu:6", "gpu:7"}));
  EXPECT_FALSE(Choose(mesh, 5, v1::LINK_CLASS_NVLINK));
}

TEST(ChooseDevices, SixtyFourDevicesInADenseRandomGraphAreDoneWith) {
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    v1::Inventory machine = Machine(64);
    for (int a = 0; a < 64; ++a) {
      for (int b = a + 1; b < 64; ++b) {
        if (random() % 2 == 0) Link(machine, a, b, v1::LINK_CLASS_NVLINK);
      }
    }
    for (int count : {2, 4, 12, 40}) {
      const auto chosen = Choose(machine, count, v1::LINK_CLASS_NVLINK);
      EXPECT_TRUE(chosen || count > 4) << count;
      const Devices devices = chosen.value_or(Devices());
      EXPECT_EQ(std::set<std::string>(devices.begin(), devices.end()).size(), chosen ? static_cast<size_t>(count) : 0);
    }
  }
}

TEST(ModelFits, ByItsFirstWordsInAnyCase) {
  const std::string model = "NVIDIA H100 80GB HBM3";
  for (const char* wanted : {"", "NVIDIA", "NVIDIA H100", "nvidia h100", "NVIDIA H100 80GB HBM3"}) {
    EXPECT_TRUE(ModelFits(model, wanted)) << wanted;
  }
  for (const char* wanted : {"H100", "NVIDIA H10", "NVIDIA H1000", "NVIDIA H100 80GB HBM3e", "NVIDIA H200"}) {
    EXPECT_FALSE(ModelFits(model, wanted)) << wanted;
  }
  EXPECT_TRUE(ModelFits("Tesla V100-SXM2-16GB", "Tesla V100"));
  EXPECT_FALSE(ModelFits("", "x"));
}

}  // namespace
}  // namespace benchwire::core
