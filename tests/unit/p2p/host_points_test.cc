// The host backend on the real machine: that every byte is compared and every stop is heard; never how fast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "workers/p2p/host/host_backend.h"
#include "workers/p2p/host/topology.h"

namespace benchwire::p2p::host {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

void Copy(std::byte* to, const std::byte* from, std::size_t size) { std::memcpy(to, from, size); }
Stop Never() { return Stop::kNone; }

class HostPointsTest : public ::testing::Test {
 protected:
  // Two endpoints, on one CPU where the machine has no more.
  static Topology TwoCores() {
    const std::vector<int> allowed = AllowedCpus();
    Topology topology = *ReadTopology("", allowed, {}, {"core:" + std::to_string(allowed.front())});
    topology.endpoints.push_back(topology.endpoints[0]);
    topology.places.push_back({allowed.back(), std::nullopt});
    topology.endpoints[1].id = "core:" + std::to_string(allowed.back());
    return topology;
  }
  PointResult Prepare(const std::string& id, const Pair& pair, std::int64_t bytes, const Copier& copier = Copy,
                      const StopCheck& stop = Never) {
    const Warn warn = [this](const std::string& code, const std::string&) { warnings.push_back(code); };
    backend = std::make_unique<HostBackend>(PointContext{"", TwoCores(), copier, warn});
    return backend->Prepare({id, pair, "", bytes, 7, true}, stop);
  }

  std::unique_ptr<HostBackend> backend;
  std::vector<std::string> warnings;
};

TEST_F(HostPointsTest, EveryCaseTakesVerifiedSamples) {
  for (const Case& test : HostCases(true)) {
    const Pair pair = test.shape == PairShape::kLocal ? Pair{0, 0} : Pair{0, 1};
    PointResult point = Prepare(test.id, pair, test.sized ? 65'537 : 0);
    ASSERT_TRUE(point.ok()) << test.id << ": " << point.error().reason;
    ASSERT_TRUE((*point)->Rehearse(2, Never).ok()) << test.id;
    for (std::int64_t index = 0; index < 2; ++index) {
      const kit::Result<Sample, Refusal> sample = (*point)->Take(index, 3, Never);
      ASSERT_TRUE(sample.ok()) << test.id;
      ASSERT_THAT(sample->rows, SizeIs((*point)->rows().size()));
      EXPECT_GT(sample->rows[0].value, 0) << test.id;
      EXPECT_GT(sample->rows[0].verified_bytes, 0) << test.id;
      for (const RowSample& row : sample->rows) EXPECT_EQ(row.mismatched_bytes, 0) << test.id;
    }
    EXPECT_EQ((*point)->rows()[0].at("topology"), "single_node");
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(HostPointsTest, AFlippedBitIsFoundAndPlaced) {
  for (const char* id : {"bw.unidir.write", "bw.unidir.read"}) {
    const Copier faulty = [](std::byte* to, const std::byte* from, std::size_t size) {
      std::memcpy(to, from, size);
      to[size - 1] ^= std::byte{0x04};
    };
    PointResult point = Prepare(id, {0, 1}, 8191, faulty);
    ASSERT_TRUE(point.ok());
    const kit::Result<Sample, Refusal> sample = (*point)->Take(0, 1, Never);
    ASSERT_TRUE(sample.ok());
    EXPECT_EQ(sample->rows[0].verified_bytes, 8191);
    EXPECT_EQ(sample->rows[0].mismatched_bytes, 1);
    EXPECT_EQ(sample->first_bad, 8190);
  }
}

TEST_F(HostPointsTest, ADroppedCopyIsFoundInEverySample) {
  PointResult point = Prepare("bw.local", {0, 0}, 4096, [](std::byte*, const std::byte*, std::size_t) {});
  ASSERT_TRUE(point.ok());
  for (std::int64_t index = 0; index < 3; ++index) {
    const kit::Result<Sample, Refusal> sample = (*point)->Take(index, 1, Never);
    ASSERT_TRUE(sample.ok());
    EXPECT_GT(sample->rows[0].mismatched_bytes, 4000);
  }
}

TEST_F(HostPointsTest, DataOfTheSampleBeforeDoesNotPass) {
  std::atomic<int> copies{0};
  const Copier once = [&copies](std::byte* to, const std::byte* from, std::size_t size) {
    if (copies++ == 0) std::memcpy(to, from, size);
  };
  PointResult point = Prepare("bw.local", {0, 0}, 4096, once);
  ASSERT_TRUE(point.ok());
  EXPECT_EQ((*point)->Take(0, 1, Never)->rows[0].mismatched_bytes, 0);
  EXPECT_GT((*point)->Take(1, 1, Never)->rows[0].mismatched_bytes, 4000);
}

TEST_F(HostPointsTest, BidirHasBothFlowsAndTheirTotal) {
  PointResult point = Prepare("bw.bidir", {0, 1}, 1 << 16);
  ASSERT_TRUE(point.ok());
  const std::vector<kit::Labels> rows = (*point)->rows();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].at("src"), rows[1].at("dst"));
  EXPECT_EQ(rows[0].at("aggregate"), "flow");
  EXPECT_EQ(rows[2].at("aggregate"), "total");
  const kit::Result<Sample, Refusal> sample = (*point)->Take(0, 50, Never);
  ASSERT_TRUE(sample.ok());
  // The total is over the union of both times, so it never exceeds the sum of the flows.
  EXPECT_LE(sample->rows[2].value, (sample->rows[0].value + sample->rows[1].value) * (1 + 1e-9));
  EXPECT_EQ(sample->rows[2].verified_bytes, 0);
  ASSERT_TRUE(sample->overlap);
  EXPECT_GE(*sample->overlap, 0);
  EXPECT_LE(*sample->overlap, 1);
}

TEST_F(HostPointsTest, StopsAreHeardByEveryCase) {
  for (const Case& test : HostCases(true)) {
    const Pair pair = test.shape == PairShape::kLocal ? Pair{0, 0} : Pair{0, 1};
    PointResult point = Prepare(test.id, pair, test.sized ? 1 << 20 : 0);
    ASSERT_TRUE(point.ok()) << test.id;
    std::atomic<int> asked{0};
    const StopCheck soon = [&asked] { return asked++ < 5 ? Stop::kNone : Stop::kDeadline; };
    // Without the stop this would take hours.
    const kit::Result<double, Refusal> seconds = (*point)->Rehearse((*point)->max_repeats(), soon);
    ASSERT_FALSE(seconds.ok()) << test.id;
    EXPECT_EQ(seconds.error().status, kit::RowStatus::kTimeout) << test.id;
  }
}

TEST_F(HostPointsTest, AStopWhilePreparingIsHeard) {
  const StopCheck cancelled = [] { return Stop::kCancelled; };
  for (const char* id : {"bw.local", "lat.load"}) {
    const PointResult point = Prepare(id, {0, 0}, 1 << 20, Copy, cancelled);
    ASSERT_FALSE(point.ok()) << id;
    EXPECT_EQ(point.error().code, "CANCELLED");
  }
}

TEST_F(HostPointsTest, SmallBuffersAreLabelled) {
  PointResult small = Prepare("bw.local", {0, 0}, 4096);
  ASSERT_TRUE(small.ok());
  if (TwoCores().llc_bytes > 1024) {
    EXPECT_EQ((*small)->rows()[0].at("cache_resident"), "true");
  }
  Topology known = TwoCores();
  known.llc_bytes = 1024;
  HostBackend other(PointContext{"", known, Copy, nullptr});
  PointResult large = other.Prepare({"bw.local", {0, 0}, "", 4096, 1, true}, Never);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ((*large)->rows()[0].count("cache_resident"), 0u);
}

TEST_F(HostPointsTest, ACpuThatCannotBeUsedIsAnError) {
  Topology topology = TwoCores();
  topology.places[0].cpu = CPU_SETSIZE - 1;
  HostBackend other(PointContext{"", topology, Copy, nullptr});
  const PointResult point = other.Prepare({"bw.local", {0, 0}, "", 4096, 1, true}, Never);
  ASSERT_FALSE(point.ok());
  EXPECT_EQ(point.error().code, "PIN_FAILED");
}

TEST_F(HostPointsTest, WhatDoesNotFitIsWaivedBeforeAllocating) {
  const PointResult point = Prepare("bw.local", {0, 0}, std::int64_t{1} << 50);
  ASSERT_FALSE(point.ok());
  EXPECT_EQ(point.error().status, kit::RowStatus::kWaived);
  EXPECT_EQ(point.error().code, "INSUFFICIENT_MEMORY");
}

}  // namespace
}  // namespace benchwire::p2p::host
