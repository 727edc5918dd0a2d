#include "server/core/scheduling.h"

#include <gtest/gtest.h>

namespace benchwire::core {
namespace {

using Devices = std::vector<std::string>;

v1::Inventory Machine() {
  v1::Inventory out;
  out.set_cpus(8);
  out.set_memory_bytes(1000);
  out.add_runners()->set_kind("p2p");
  (*out.mutable_labels())["site"] = "a";
  for (const char* id : {"gpu:0", "gpu:1", "gpu:2"}) {
    v1::Device& device = *out.add_devices();
    device.set_id(id);
    device.set_kind(v1::DEVICE_KIND_GPU);
    device.set_healthy(device.id() != "gpu:1");
  }
  return out;
}

v1::Requirements Needs(v1::Exclusivity exclusivity, int cpus = 1, int gpus = 0) {
  v1::Requirements out;
  out.set_exclusivity(exclusivity);
  out.set_cpus(cpus);
  out.set_device_count(gpus);
  out.set_device_kind(v1::DEVICE_KIND_GPU);
  return out;
}

TEST(WhyIncapable, NamesWhatIsMissing) {
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", Needs(v1::EXCLUSIVITY_NONE, 8, 2)), "");
  EXPECT_EQ(WhyIncapable(Machine(), "nas", {}), "offers no runner of kind nas");
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", Needs(v1::EXCLUSIVITY_NONE, 9)), "has 8 cpus, needs 9");
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", Needs(v1::EXCLUSIVITY_NONE, 1, 3)),
            "has 2 healthy devices of kind DEVICE_KIND_GPU, needs 3");
  v1::Inventory commands = Machine();
  v1::RunnerDescription& runner = *commands.add_runners();
  runner.set_kind("command");
  runner.add_backends("a");
  runner.add_backends("b");
  v1::Requirements named = Needs(v1::EXCLUSIVITY_NONE);
  named.set_backend("b");
  EXPECT_EQ(WhyIncapable(commands, "command", named), "");
  named.set_backend("c");
  EXPECT_EQ(WhyIncapable(commands, "command", named), "its runner of kind command does not offer c, only a b");
  v1::Requirements needs = Needs(v1::EXCLUSIVITY_NONE);
  needs.set_memory_bytes(1001);
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", needs), "has 1000 bytes of memory, needs 1001");
  needs.set_memory_bytes(1000);
  (*needs.mutable_worker_labels())["site"] = "b";
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", needs), "lacks the label site=b");
  needs.mutable_worker_labels()->clear();
  (*needs.mutable_worker_labels())["room"] = "";
  EXPECT_EQ(WhyIncapable(Machine(), "p2p", needs), "lacks the label room=");
}

TEST(Fit, AHostJobWantsTheMachineForItselfAndGetsItsHealthyDevices) {
  WorkerLoad load{Machine(), {}};
  EXPECT_EQ(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_HOST)), (Devices{"gpu:0", "gpu:2"}));
  load.grants["small"] = {1, Needs(v1::EXCLUSIVITY_NONE), {}};
  EXPECT_FALSE(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_HOST)));
  EXPECT_TRUE(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_NONE)));
  load.grants["small"].requirements.set_exclusivity(v1::EXCLUSIVITY_HOST);
  for (auto exclusivity : {v1::EXCLUSIVITY_NONE, v1::EXCLUSIVITY_DEVICE, v1::EXCLUSIVITY_HOST}) {
    EXPECT_FALSE(Fit(load, "p2p", Needs(exclusivity)));
  }
}

TEST(Fit, ADeviceIsGivenOnce) {
  WorkerLoad load{Machine(), {}};
  EXPECT_EQ(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_DEVICE, 1, 1)), (Devices{"gpu:0"}));
  load.grants["one"] = {1, Needs(v1::EXCLUSIVITY_DEVICE, 1, 1), {"gpu:0"}};
  EXPECT_EQ(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_DEVICE, 1, 1)), (Devices{"gpu:2"}));
  EXPECT_FALSE(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_DEVICE, 1, 2)));
  EXPECT_EQ(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_DEVICE)), Devices{});
}

TEST(Fit, CpusAndMemoryAreNeverGrantedBeyondWhatThereIs) {
  WorkerLoad load{Machine(), {}};
  load.grants["one"] = {1, Needs(v1::EXCLUSIVITY_NONE, 6), {}};
  load.grants["one"].requirements.set_memory_bytes(600);
  EXPECT_TRUE(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_NONE, 2)));
  EXPECT_FALSE(Fit(load, "p2p", Needs(v1::EXCLUSIVITY_NONE, 3)));
  v1::Requirements needs = Needs(v1::EXCLUSIVITY_NONE);
  needs.set_memory_bytes(400);
  EXPECT_TRUE(Fit(load, "p2p", needs));
  needs.set_memory_bytes(401);
  EXPECT_FALSE(Fit(load, "p2p", needs));
}

TEST(PlaceJobs, TakesJobsInOrderAndSkipsWhatDoesNotFit) {
  const WallTime now{std::chrono::hours(1)};
  v1::Inventory bare = Machine();
  bare.clear_devices();
  const v1::Requirements gpu = Needs(v1::EXCLUSIVITY_DEVICE, 1, 1), any = Needs(v1::EXCLUSIVITY_NONE);
  const std::vector<QueuedJob> jobs = {{"too-large", "p2p", Needs(v1::EXCLUSIVITY_NONE, 100), {}},
                                       {"later", "p2p", any, now + std::chrono::nanoseconds(1)},
                                       {"gpu", "p2p", gpu, now},
                                       {"gpu-2", "p2p", gpu, {}},
                                       {"any", "p2p", any, {}},
                                       {"too-many", "p2p", any, {}}};
  const auto placed = PlaceJobs(jobs, {{bare, {}}, {Machine(), {}}}, now);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(jobs[placed[0].job].id, "gpu");
  EXPECT_EQ(placed[0].worker, 1u);
  EXPECT_EQ(placed[0].devices, Devices{"gpu:0"});
  EXPECT_EQ(jobs[placed[1].job].id, "any");
  EXPECT_EQ(placed[1].worker, 0u);
  EXPECT_TRUE(PlaceJobs(jobs, {}, now).empty());
  EXPECT_TRUE(PlaceJobs({}, {{Machine(), {}}}, now).empty());
}

}  // namespace
}  // namespace benchwire::core
