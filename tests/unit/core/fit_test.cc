#include "server/core/fit.h"

#include <gtest/gtest.h>

#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using Devices = std::vector<std::string>;

// Three GPUs, the middle one lost.
v1::Inventory Damaged() {
  v1::Inventory out = Machine(3, 8);
  out.mutable_devices(1)->set_healthy(false);
  (*out.mutable_labels())["site"] = "a";
  return out;
}

v1::Requirements Host(int gpus = 0) { return Needs(gpus, 1, v1::EXCLUSIVITY_HOST); }

TEST(WhyIncapable, NamesTheBackendThatIsNotOffered) {
  v1::Inventory commands = Damaged();
  v1::RunnerDescription& runner = *commands.add_runners();
  runner.set_kind("command");
  runner.add_backends("a");
  runner.add_backends("b");
  v1::Requirements named = Needs(0);
  named.set_backend("b");
  EXPECT_EQ(WhyIncapable(commands, "command", named), "");
  EXPECT_TRUE(IsCapable(commands, "command", named));
  named.set_backend("c");
  EXPECT_EQ(WhyIncapable(commands, "command", named), "its runner of kind command does not offer c, only a b");
  EXPECT_FALSE(IsCapable(commands, "command", named));
}

TEST(WhyIncapable, NamesWhatIsMissing) {
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", Needs(2, 8)), "");
  EXPECT_EQ(WhyIncapable(Damaged(), "nas", {}), "offers no runner of kind nas");
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", Needs(0, 9)), "has 8 cpus, needs 9");
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", Needs(3)), "has 2 healthy GPU devices, needs 3");
  v1::Requirements needs = Needs(0);
  needs.set_memory_bytes(1001);
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", needs), "has 1000 bytes of memory, needs 1001");
  needs.set_memory_bytes(1000);
  (*needs.mutable_worker_labels())["site"] = "b";
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", needs), "lacks the label site=b");
  needs.mutable_worker_labels()->clear();
  (*needs.mutable_worker_labels())["room"] = "";
  EXPECT_EQ(WhyIncapable(Damaged(), "p2p", needs), "lacks the label room=");
}

TEST(WhyIncapable, DevicesAreCountedByMemoryModelAndLinks) {
  v1::Inventory machine = Grouped(4, 2, v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_SAME_SOCKET);
  machine.mutable_devices(0)->set_memory_bytes(40);
  v1::Requirements needs = Needs(4);
  needs.set_device_memory_bytes(41);
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs), "has 3 healthy GPU devices with 41 bytes of memory, needs 4");
  needs.set_device_memory_bytes(40);
  needs.set_device_model("Example G1");
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs), "");
  needs.set_link_class(v1::LINK_CLASS_SAME_SOCKET);
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs), "");
  needs.set_link_class(v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs),
            "has no 4 healthy GPU devices of model Example G1 with 40 bytes of memory linked NVLINK or closer");
  needs.set_device_count(2);
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs), "");
  needs.set_device_model("Example G2");
  EXPECT_EQ(WhyIncapable(machine, "p2p", needs),
            "has 0 healthy GPU devices of model Example G2 with 40 bytes of memory, needs 2");
}

TEST(Fit, AHostJobWantsTheMachineForItselfAndGetsItsHealthyDevices) {
  WorkerLoad load = MakeLoad("w", Damaged());
  EXPECT_EQ(Fit(load, Host()), (Devices{"gpu:0", "gpu:2"}));
  EXPECT_EQ(Fit(load, Host(2)), (Devices{"gpu:0", "gpu:2"}));
  EXPECT_FALSE(Fit(load, Host(3)));
  load.grants["small"] = MakeGrant(Needs(0), {});
  EXPECT_FALSE(Fit(load, Host()));
  EXPECT_EQ(WhyBusy(load, Host()), "jobs/small runs there, needs the whole machine");
  load.grants["small-2"] = MakeGrant(Needs(0), {});
  EXPECT_EQ(WhyBusy(load, Host()), "jobs/small and 1 more run there, needs the whole machine");
  EXPECT_TRUE(Fit(load, Needs(0)));
  load.grants = {{"whole", MakeGrant(Host(), {})}};
  for (auto exclusivity : {v1::EXCLUSIVITY_NONE, v1::EXCLUSIVITY_DEVICE, v1::EXCLUSIVITY_HOST}) {
    EXPECT_FALSE(Fit(load, Needs(0, 1, exclusivity)));
    EXPECT_EQ(WhyBusy(load, Needs(0, 1, exclusivity)), "jobs/whole has the whole machine");
  }
}

TEST(Fit, AHostJobGetsTheDevicesThatItWants) {
  v1::Inventory machine = Grouped(4, 2, v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_CROSS_SOCKET);
  machine.mutable_devices(3)->set_model("Other");
  v1::Requirements needs = Host(2);
  needs.set_device_model("example g1");
  needs.set_link_class(v1::LINK_CLASS_NVLINK);
  EXPECT_EQ(Fit(MakeLoad("w", machine), needs), (Devices{"gpu:0", "gpu:1", "gpu:2"}));
  machine.mutable_devices(1)->set_healthy(false);
  EXPECT_FALSE(Fit(MakeLoad("w", machine), needs));  // Two are left, of different pairs.
}

TEST(Fit, ADeviceIsGivenOnce) {
  WorkerLoad load = MakeLoad("w", Damaged());
  EXPECT_EQ(Fit(load, Needs(1)), (Devices{"gpu:0"}));
  load.grants["one"] = MakeGrant(Needs(1), {"gpu:0"});
  EXPECT_EQ(Fit(load, Needs(1)), (Devices{"gpu:2"}));
  EXPECT_FALSE(Fit(load, Needs(2)));
  EXPECT_EQ(WhyBusy(load, Needs(2)), "1 of 2 GPU devices free, needs 2");
  EXPECT_EQ(Fit(load, Needs(0)), Devices{});
}

TEST(Fit, FreeDevicesMustBeLinkedToo) {
  const v1::Inventory machine = Grouped(4, 2, v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_SAME_SWITCH);
  const WorkerLoad load =
      MakeLoad("w", machine, {{"a", MakeGrant(Needs(1), {"gpu:0"})}, {"b", MakeGrant(Needs(1), {"gpu:2"})}});
  v1::Requirements needs = Needs(2);
  needs.set_link_class(v1::LINK_CLASS_SAME_SWITCH);
  EXPECT_EQ(Fit(load, needs), (Devices{"gpu:1", "gpu:3"}));
  needs.set_link_class(v1::LINK_CLASS_NVLINK);
  EXPECT_FALSE(Fit(load, needs));
  EXPECT_EQ(WhyBusy(load, needs), "2 of 4 GPU devices free, not linked NVLINK or closer, needs 2");
}

TEST(Fit, CpusAndMemoryAreNeverGrantedBeyondWhatThereIs) {
  WorkerLoad load = MakeLoad("w", Damaged(), {{"one", MakeGrant(Needs(0, 6), {})}});
  load.grants["one"].requirements.set_memory_bytes(600);
  EXPECT_TRUE(Fit(load, Needs(0, 2)));
  EXPECT_EQ(WhyBusy(load, Needs(0, 2)), "");
  EXPECT_FALSE(Fit(load, Needs(0, 3)));
  EXPECT_EQ(WhyBusy(load, Needs(0, 3)), "2 of 8 cpus free, needs 3");
  v1::Requirements needs = Needs(0);
  needs.set_memory_bytes(400);
  EXPECT_TRUE(Fit(load, needs));
  needs.set_memory_bytes(401);
  EXPECT_FALSE(Fit(load, needs));
  EXPECT_EQ(WhyBusy(load, needs), "400 of 1000 bytes of memory free, needs 401");
}

TEST(ExpectedFit, IsTheEndOfTheJobThatMakesRoom) {
  const auto in = [](int n) { return kNow + std::chrono::minutes(n); };
  const WorkerLoad load = MakeLoad("w", Machine(4, 8),
                                   {{"a", MakeGrant(Needs(1, 1), {"gpu:0"}, in(30))},
                                    {"b", MakeGrant(Needs(1, 1), {"gpu:1"}, in(10))},
                                    {"c", MakeGrant(Needs(1, 6), {"gpu:2"}, in(20))}});
  EXPECT_EQ(ExpectedFit(load, Needs(1, 0), kNow), kNow);
  EXPECT_EQ(ExpectedFit(load, Needs(2, 1), kNow), in(10));
  EXPECT_EQ(ExpectedFit(load, Needs(3, 1), kNow), in(20));
  EXPECT_EQ(ExpectedFit(load, Needs(1, 7), kNow), in(20));
  EXPECT_EQ(ExpectedFit(load, Needs(4, 1), kNow), in(30));
  EXPECT_EQ(ExpectedFit(load, Host(), kNow), in(30));
  // Beyond its timeout by 30 s, then by 5 min.
  const WorkerLoad late = MakeLoad("w", Machine(1), {{"a", MakeGrant(Needs(1), {"gpu:0"}, in(10))}});
  EXPECT_EQ(ExpectedFit(late, Needs(1), in(10) + std::chrono::seconds(30)), in(11) + std::chrono::seconds(30));
  EXPECT_EQ(ExpectedFit(late, Needs(1), in(15)), in(20));
}

}  // namespace
}  // namespace benchwire::core
