// The CUDA backend against the fake driver: every fault that a driver is known to show, and what is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/unit/p2p/fake_cuda/fake_driver.h"
#include "workers/p2p/campaign.h"
#include "workers/p2p/cuda/cuda_backend.h"
#include "workers/p2p/host/host_backend.h"

namespace benchwire::p2p::cuda {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CollectingSink final : public kit::EventSink {
 public:
  kit::Status Write(const kit::Event& event) override {
    const kit::Result<std::string> line = kit::EventLine(event);
    EXPECT_TRUE(line.ok()) << line.error().message;
    if (const auto* row = std::get_if<kit::Measurement>(&event)) rows.push_back(*row);
    return kit::Status();
  }
  std::vector<kit::Measurement> rows;
};

class CudaTest : public ::testing::Test {
 protected:
  kit::Result<std::unique_ptr<p2p::Backend>> Open(int devices, FakeFaults faults = {},
                                                  std::vector<std::string> granted = {}) {
    fakes.push_back(std::make_unique<FakeDriver>(devices, std::move(faults)));
    fake = fakes.back().get();
    CudaBackend::Options options;
    options.granted = std::move(granted);
    options.root = "/nowhere";
    options.drain = milliseconds(5);
    return CudaBackend::Open(fake->Table(), std::move(options));
  }

  // Runs a small campaign on the fake. Time stands still but for the deadline of a hang, which `ticks` brings.
  RunResult Run(int devices, FakeFaults faults = {},
                const std::string& spec = R"({"sizes_bytes": [65536], "samples": 6, "min_sample_time": "0.001s"})") {
    auto backend = Open(devices, std::move(faults));
    EXPECT_TRUE(backend.ok()) << backend.error().message;
    CampaignOptions options;
    options.spec = *ParseSpec(spec);
    options.seed = 3;
    options.elsewhere = host::HostCases(false);
    options.now = [this] { return clock += milliseconds(2); };
    options.cancelled = [] { return false; };
    CollectingSink sink;
    Warnings warnings(sink);
    const kit::Result<RunResult> result = Campaign(std::move(options), **backend, sink, warnings).Run();
    EXPECT_TRUE(result.ok());
    rows = sink.rows;
    return *result;
  }

  // The row of a case on a pair, with peer access on, off or (empty) local.
  const kit::Measurement& Row(const std::string& id, const std::string& src, const std::string& dst,
                              const std::string& p2p) {
    const auto label = [](const kit::Measurement& row, const std::string& key) {
      const auto found = row.labels.find(key);
      return found == row.labels.end() ? std::string() : found->second;
    };
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const kit::Measurement& row) {
      return row.case_id == id && label(row, "src") == src && label(row, "dst") == dst && label(row, "p2p") == p2p;
    });
    EXPECT_NE(found, rows.end()) << id << src << dst << p2p;
    return *found;
  }
  static const JudgedLink& LinkOf(const RunResult& result, std::size_t src, std::size_t dst) {
    return *std::find_if(result.links.begin(), result.links.end(), [&](const JudgedLink& link) {
      return link.link.pair == Pair{src, dst};
    });
  }

  std::vector<std::unique_ptr<FakeDriver>> fakes;  // Each outlives the backends opened on it.
  FakeDriver* fake = nullptr;                      // The latest.
  std::vector<kit::Measurement> rows;
  nanoseconds clock{0};
};

TEST_F(CudaTest, EveryReasonForNoGpuIsItsOwn) {
  const std::vector<std::pair<Code, std::string>> cases = {{34, "STUB_DRIVER"},
                                                           {35, "DRIVER_TOO_OLD"},
                                                           {100, "NO_DEVICE"},
                                                           {802, "FABRIC_NOT_READY"},
                                                           {803, "VERSION_MISMATCH"},
                                                           {804, "COMPAT_NOT_SUPPORTED"},
                                                           {805, "MPS_CONNECTION_FAILED"},
                                                           {807, "MPS_SERVER_NOT_READY"},
                                                           {4711, "CUDA_ERROR_4711"}};
  for (const auto& [code, reason] : cases) {
    for (bool at_init : {true, false}) {
      FakeFaults faults;
      (at_init ? faults.init : faults.count) = code;
      const auto backend = Open(2, faults);
      ASSERT_FALSE(backend.ok());
      EXPECT_EQ(backend.error().code, reason);
      EXPECT_THAT(backend.error().message, HasSubstr(std::to_string(code)));
    }
  }
}

TEST_F(CudaTest, NoDevicesAndFailingContextsAreErrors) {
  const auto none = Open(0);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, "NO_DEVICE");
  FakeFaults faults;
  faults.retain = kOutOfMemory;
  const auto full = Open(2, faults);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, "OUT_OF_MEMORY");
  EXPECT_EQ(fake->contexts_retained(), 0);
}

TEST_F(CudaTest, EndpointsCarryTheirIdentity) {
  const auto backend = Open(2);
  ASSERT_TRUE(backend.ok());
  const Endpoint& endpoint = (*backend)->endpoints()[1];
  EXPECT_EQ(endpoint.id, "gpu:1");
  EXPECT_EQ(endpoint.kind, "gpu");
  EXPECT_EQ(endpoint.uuid, "GPU-00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(endpoint.pci_address, "0000:02:00.0");
  EXPECT_EQ(endpoint.numa_node, 0);
  EXPECT_TRUE(endpoint.simulated);
}

TEST_F(CudaTest, OnlyGrantedGpusAreUsed) {
  const auto backend = Open(3, {}, {"gpu:GPU-00000000-0000-0000-0000-000000000003", "numa:0"});
  ASSERT_TRUE(backend.ok());
  ASSERT_THAT((*backend)->endpoints(), SizeIs(1));
  EXPECT_EQ((*backend)->endpoints()[0].id, "gpu:2");
  EXPECT_EQ(Open(3, {}, {"gpu:GPU-other"}).error().code, "NO_DEVICE");
  EXPECT_EQ(Open(3, {}, {"numa:0"}).error().code, "NO_DEVICE");
}

TEST_F(CudaTest, AHealthyPairGivesDirectAndStagedRows) {
  const RunResult result = Run(2);
  for (const char* id : {"bw.unidir.write", "bw.unidir.read"}) {
    for (const auto& [src, dst] : {std::pair("gpu:0", "gpu:1"), {"gpu:1", "gpu:0"}}) {
      const kit::Measurement& on = Row(id, src, dst, "on");
      const kit::Measurement& off = Row(id, src, dst, "off");
      EXPECT_EQ(on.status, kit::RowStatus::kOk) << on.reason;
      EXPECT_EQ(on.labels.at("path"), "direct");
      EXPECT_EQ(off.labels.at("path"), "staged");
      EXPECT_NEAR(*on.value, 1e9, 1e4);
      EXPECT_NEAR(*off.value, 0.2e9, 1e4);
      EXPECT_TRUE(on.interval);
    }
  }
  EXPECT_EQ(Row("bw.unidir.write", "gpu:0", "gpu:1", "on").labels.at("initiator"), "gpu:0");
  EXPECT_EQ(Row("bw.unidir.read", "gpu:0", "gpu:1", "on").labels.at("initiator"), "gpu:1");
  EXPECT_EQ(Row("bw.local", "gpu:0", "gpu:0", "").labels.at("path"), "local");
  for (const kit::Measurement& row : rows) {
    EXPECT_TRUE(row.simulated);
    EXPECT_EQ(row.labels.at("backend"), "cuda");
    EXPECT_EQ(row.labels.at("engine"), "ce");
  }
  EXPECT_GT(fake->calls["direct"], 0);
  EXPECT_EQ(fake->calls["staged"], fake->calls["peer_call"]);
  EXPECT_TRUE(result.simulated);
  EXPECT_EQ(result.mismatched_bytes, 0);
  EXPECT_GT(result.verified_bytes, 0);
  // Copies held, but no kernel has looked.
  EXPECT_EQ(LinkOf(result, 0, 1).verdict, Verdict::kInconclusive);
  EXPECT_EQ(LinkOf(result, 0, 1).reason_code, "NO_KERNEL_CHECKS");
  EXPECT_EQ(LinkOf(result, 0, 0).verdict, Verdict::kPass);
}

TEST_F(CudaTest, NothingIsLeftBehind) {
  Run(3);
  EXPECT_EQ(fake->allocations(), 0);
  EXPECT_EQ(fake->streams(), 0);
  EXPECT_EQ(fake->contexts_retained(), 0);
  EXPECT_EQ(fake->accesses_enabled(), 0u);
  EXPECT_TRUE(fake->context_stack_empty());
}

TEST_F(CudaTest, OneGpuWaivesPairsAndMeasuresItself) {
  const RunResult result = Run(1);
  EXPECT_EQ(rows[0].case_id, "bw.unidir.write");
  EXPECT_EQ(rows[0].status, kit::RowStatus::kWaived);
  EXPECT_EQ(rows[0].reason_code, "SINGLE_GPU");
  EXPECT_EQ(Row("bw.local", "gpu:0", "gpu:0", "").status, kit::RowStatus::kOk);
  EXPECT_EQ(result.verdict, Verdict::kPass);
}

TEST_F(CudaTest, NoAccessIsANormalResult) {
  FakeFaults faults;
  faults.no_access = {{0, 1}, {1, 0}};
  const RunResult result = Run(2, faults);
  const kit::Measurement& on = Row("bw.unidir.write", "gpu:0", "gpu:1", "on");
  EXPECT_EQ(on.status, kit::RowStatus::kWaived);
  EXPECT_EQ(on.reason_code, "NO_PEER_ACCESS");
  EXPECT_EQ(Row("bw.unidir.write", "gpu:0", "gpu:1", "off").status, kit::RowStatus::kOk);
  EXPECT_EQ(LinkOf(result, 0, 1).link.can_access, false);
  EXPECT_EQ(result.verdict, Verdict::kPass);
}

TEST_F(CudaTest, AccessIsOneWay) {
  FakeFaults faults;
  faults.no_access = {{1, 0}};
  const RunResult result = Run(2, faults);
  // Who copies is who maps: gpu:0 may write to and read from gpu:1, not the other way round.
  EXPECT_EQ(Row("bw.unidir.write", "gpu:0", "gpu:1", "on").status, kit::RowStatus::kOk);
  EXPECT_EQ(Row("bw.unidir.read", "gpu:1", "gpu:0", "on").status, kit::RowStatus::kOk);
  EXPECT_EQ(Row("bw.unidir.write", "gpu:1", "gpu:0", "on").status, kit::RowStatus::kWaived);
  EXPECT_EQ(Row("bw.unidir.read", "gpu:0", "gpu:1", "on").status, kit::RowStatus::kWaived);
  EXPECT_EQ(LinkOf(result, 0, 1).link.can_access, true);
  EXPECT_EQ(LinkOf(result, 1, 0).link.can_access, false);
}

TEST_F(CudaTest, RefusedEnablingIsWaivedWithItsCode) {
  for (const auto& [code, reason] :
       {std::pair(205, "MAP_FAILED"), {217, "PEER_ACCESS_UNSUPPORTED"}, {711, "TOO_MANY_PEERS"}}) {
    FakeFaults faults;
    faults.enable[{0, 1}] = code;
    const RunResult result = Run(2, faults);
    const kit::Measurement& on = Row("bw.unidir.write", "gpu:0", "gpu:1", "on");
    EXPECT_EQ(on.status, kit::RowStatus::kWaived);
    EXPECT_EQ(on.reason_code, reason);
    EXPECT_THAT(on.reason, HasSubstr(std::to_string(code)));
    EXPECT_EQ(LinkOf(result, 0, 1).link.can_access, true);
    EXPECT_FALSE(LinkOf(result, 0, 1).link.enabled);
    EXPECT_EQ(Row("bw.unidir.write", "gpu:1", "gpu:0", "on").status, kit::RowStatus::kOk);
  }
}

TEST_F(CudaTest, AccessThatWasOnIsUsedAndLeftOn) {
  FakeFaults faults;
  faults.enabled_by_others = {{0, 1}};
  Run(2, faults);
  EXPECT_EQ(Row("bw.unidir.write", "gpu:0", "gpu:1", "on").status, kit::RowStatus::kOk);
  const kit::Measurement& off = Row("bw.unidir.write", "gpu:0", "gpu:1", "off");
  EXPECT_EQ(off.status, kit::RowStatus::kWaived);
  EXPECT_EQ(off.reason_code, "PEER_ACCESS_ALREADY_ENABLED");
  EXPECT_EQ(fake->accesses_enabled(), 1u);
}

TEST_F(CudaTest, DroppedWritesAreSeenByTheOwner) {
  FakeFaults faults;
  faults.drop = {{0, 1}};
  const RunResult result = Run(2, faults);
  const kit::Measurement& row = Row("bw.unidir.write", "gpu:0", "gpu:1", "on");
  EXPECT_EQ(row.status, kit::RowStatus::kFailed);
  EXPECT_EQ(row.reason_code, "BYTES_DIFFER");
  EXPECT_FALSE(row.value);
  EXPECT_EQ(Row("bw.unidir.write", "gpu:1", "gpu:0", "on").status, kit::RowStatus::kOk);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(LinkOf(result, 0, 1).verdict, Verdict::kFail);
}

TEST_F(CudaTest, OneFlippedBitFailsWithItsOffset) {
  FakeFaults faults;
  faults.flip[{1, 0}] = 40'961;
  const RunResult result = Run(2, faults);
  const kit::Measurement& row = Row("bw.unidir.read", "gpu:1", "gpu:0", "on");
  EXPECT_EQ(row.status, kit::RowStatus::kFailed);
  EXPECT_THAT(row.reason, HasSubstr("6 bytes differ"));  // One a sample.
  EXPECT_THAT(row.reason, HasSubstr("at offset 40961"));
  EXPECT_EQ(LinkOf(result, 1, 0).verdict, Verdict::kFail);
}

TEST_F(CudaTest, AHangIsATimeoutAndItsDevicesAreLeftAlone) {
  FakeFaults faults;
  faults.hang = {{0, 1}};
  const RunResult result =
      Run(3, faults, R"({"sizes_bytes": [4096], "samples": 6, "pair_deadline": "1s", "min_sample_time": "0s",
                                              "cases": ["bw.unidir.write", "bw.local"]})");
  int timeouts = 0;
  int quarantined = 0;
  for (const kit::Measurement& row : rows) {
    timeouts += row.status == kit::RowStatus::kTimeout ? 1 : 0;
    quarantined += row.reason_code == "DEVICE_QUARANTINED" ? 1 : 0;
  }
  EXPECT_EQ(timeouts, 1);
  EXPECT_GT(quarantined, 0);
  EXPECT_EQ(Row("bw.local", "gpu:2", "gpu:2", "").status, kit::RowStatus::kOk);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  // Freeing could block for ever.
  EXPECT_GT(fake->allocations(), 0);
  EXPECT_GT(fake->contexts_retained(), 0);
}

TEST_F(CudaTest, EventsWithoutTimeRejectTheSamples) {
  FakeFaults faults;
  faults.zero_time = true;
  Run(1, faults, R"({"cases": ["bw.local"], "sizes_bytes": [4096], "samples": 6, "min_sample_time": "0s"})");
  const kit::Measurement& row = Row("bw.local", "gpu:0", "gpu:0", "");
  EXPECT_EQ(row.status, kit::RowStatus::kInconclusive);
  EXPECT_EQ(row.reason_code, "TOO_FEW_SAMPLES");
}

TEST_F(CudaTest, AFailingCopyIsAnErrorOfItsRowOnly) {
  FakeFaults faults;
  faults.copy[{0, 1}] = 214;
  const RunResult result = Run(2, faults);
  const kit::Measurement& row = Row("bw.unidir.write", "gpu:0", "gpu:1", "on");
  EXPECT_EQ(row.status, kit::RowStatus::kError);
  EXPECT_EQ(row.reason_code, "ECC_UNCORRECTABLE");
  EXPECT_EQ(Row("bw.unidir.write", "gpu:1", "gpu:0", "on").status, kit::RowStatus::kOk);
  EXPECT_EQ(LinkOf(result, 0, 1).verdict, Verdict::kInconclusive);
  EXPECT_EQ(fake->allocations(), 0);
}

TEST_F(CudaTest, MemoryOnTheWrongDeviceIsNotMeasured) {
  FakeFaults faults;
  faults.wrong_ordinal = 0;
  Run(2, faults);
  EXPECT_EQ(Row("bw.local", "gpu:1", "gpu:1", "").reason_code, "WRONG_MEMORY");
  EXPECT_EQ(Row("bw.local", "gpu:0", "gpu:0", "").status, kit::RowStatus::kOk);
}

TEST_F(CudaTest, SizesThatDoNotFitAreWaived) {
  FakeFaults faults;
  faults.free_bytes = std::size_t{300} << 20;
  Run(1, faults, R"({"cases": ["bw.local"], "sizes_bytes": [65536, 67108864], "samples": 6, "min_sample_time": "0s"})");
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].status, kit::RowStatus::kOk);
  EXPECT_EQ(rows[1].status, kit::RowStatus::kWaived);
  EXPECT_THAT(rows[1].reason, HasSubstr("needs 134.2 MB and 268.4 MB in reserve, gpu:0 has 314.6 MB"));
}

TEST(FakeScriptTest, ReadsFaults) {
  const auto script = ParseFakeScript("devices=4 init=802 enable(0,1)=205 drop(1,0) flip(0,2)=123 hang(3,0) zero_time");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->devices, 4);
  EXPECT_EQ(script->faults.init, 802);
  EXPECT_EQ(script->faults.enable.at({0, 1}), 205);
  EXPECT_EQ(script->faults.flip.at({0, 2}), 123u);
  EXPECT_EQ(script->faults.hang.count({3, 0}), 1u);
  EXPECT_TRUE(script->faults.zero_time);
  EXPECT_FALSE(ParseFakeScript("explode"));
}

}  // namespace
}  // namespace benchwire::p2p::cuda
