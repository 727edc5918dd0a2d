#include "workers/p2p/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/p2p/fake_backend.h"

namespace benchwire::p2p {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecordingSink final : public kit::EventSink {
 public:
  kit::Status Write(const kit::Event& event) override {
    if (events.size() >= limit) return kit::Error{"WRITE_FAILED", "full"};
    EXPECT_TRUE(kit::EventLine(event).ok()) << kit::EventLine(event).error().message;
    events.push_back(event);
    return kit::Status();
  }
  template <typename T>
  std::vector<T> Of() const {
    std::vector<T> found;
    for (const kit::Event& event : events) {
      if (const T* value = std::get_if<T>(&event)) found.push_back(*value);
    }
    return found;
  }

  std::vector<kit::Event> events;
  std::size_t limit = SIZE_MAX;
};

class CampaignTest : public ::testing::Test {
 protected:
  kit::Result<RunResult> Run(const std::string& spec, std::size_t endpoints = 2) {
    if (!backend) backend = std::make_unique<FakeBackend>(endpoints, &clock);
    CampaignOptions options;
    options.spec = *ParseSpec(spec);
    options.seed = 5;
    options.elsewhere = {{"gpu.only", "bandwidth", "B/s", kit::Direction::kHigher, PairShape::kOrdered, true, ""}};
    options.environment = {{"kernel", "k"}};
    options.now = [this] { return clock; };
    options.cancelled = [this] { return clock >= cancel_at; };
    Warnings warnings(sink);
    return Campaign(std::move(options), *backend, sink, warnings).Run();
  }
  std::vector<kit::Measurement> Rows() const { return sink.Of<kit::Measurement>(); }
  FakeBackend& Backend() {
    if (!backend) backend = std::make_unique<FakeBackend>(2, &clock);
    return *backend;
  }

  nanoseconds clock{0};
  nanoseconds cancel_at = nanoseconds::max();
  std::unique_ptr<FakeBackend> backend;
  RecordingSink sink;
};

TEST_F(CampaignTest, ReportsRowsPointsEnvironmentProgressAndOneResult) {
  const kit::Result<RunResult> result = Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096, 8192], "samples": 7})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  ASSERT_THAT(rows, SizeIs(4));
  for (const kit::Measurement& row : rows) {
    EXPECT_EQ(row.status, kit::RowStatus::kOk);
    EXPECT_EQ(row.value, 103);
    EXPECT_EQ(row.estimator, "median");
    EXPECT_THAT(row.samples, ElementsAre(100, 101, 102, 103, 104, 105, 106));
    ASSERT_TRUE(row.interval);
    EXPECT_EQ(row.interval->low, 100);
    EXPECT_EQ(row.interval->high, 106);
    EXPECT_EQ(row.labels.at("backend"), "host");
    EXPECT_EQ(row.labels.count("verified"), 0u);
  }
  EXPECT_EQ(rows[0].labels.at("bytes"), "4096");
  const auto points = sink.Of<kit::Point>();
  ASSERT_THAT(points, SizeIs(4 * 7));
  EXPECT_EQ(points[6].step, 6);
  EXPECT_EQ(points[6].labels.at("case"), "bw.one");
  const auto environments = sink.Of<kit::Environment>();
  ASSERT_THAT(environments, SizeIs(1));
  EXPECT_EQ(environments[0].values.at("kernel"), "k");
  EXPECT_EQ(environments[0].values.at("topology"), "fake");
  const auto progress = sink.Of<kit::Progress>();
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end(),
                             [](const auto& a, const auto& b) { return a.fraction < b.fraction; }));
  EXPECT_EQ(progress.back().fraction, 1);
  EXPECT_THAT(sink.Of<kit::TypedResult>(), SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<kit::TypedResult>(sink.events.back()));
  EXPECT_EQ(result->verdict, Verdict::kPass);
  EXPECT_EQ(result->drift, 0);
}

TEST_F(CampaignTest, RepeatsFillTheLeastSampleTime) {
  ASSERT_TRUE(Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096], "min_sample_time": "0.020s"})").ok());
  EXPECT_GE(Backend().repeats.at("bw.self core:0 core:0 4096"), 20);
  EXPECT_LE(Backend().repeats.at("bw.self core:0 core:0 4096"), 30);
}

TEST_F(CampaignTest, NoLeastTimeMeansOneRepeat) {
  ASSERT_TRUE(Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096], "min_sample_time": "0s"})").ok());
  EXPECT_EQ(Backend().repeats.at("bw.self core:0 core:0 4096"), 1);
}

TEST_F(CampaignTest, TheFirstPointIsRepeatedAsDriftCheck) {
  int taken = 0;
  Backend().script.value = [&taken](std::int64_t) { return taken++ < 20 ? 100.0 : 150.0; };
  const auto result = Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096], "samples": 10, "warmup": 0})");
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(Backend().prepared, SizeIs(3));
  EXPECT_EQ(Backend().prepared.front(), Backend().prepared.back());
  EXPECT_THAT(Rows(), SizeIs(2));
  EXPECT_EQ(result->drift, 0.5);
  EXPECT_THAT(sink.Of<kit::Warning>(), Contains(Field(&kit::Warning::code, "DRIFT")));
}

TEST_F(CampaignTest, OneRowHasNoDrift) {
  const auto result = Run(R"({"cases": ["bw.self"], "pairs": [{"src": "core:0", "dst": "core:0"}]})");
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->drift);
  EXPECT_THAT(Backend().prepared, SizeIs(1));
}

TEST_F(CampaignTest, DifferentBytesFailTheRowAndTheLink) {
  Backend().script.mismatched["bw.one core:0 core:1 4096"] = 3;
  const auto result = Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096], "samples": 6})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  const auto bad = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.value; });
  ASSERT_NE(bad, rows.end());
  EXPECT_EQ(bad->status, kit::RowStatus::kFailed);
  EXPECT_EQ(bad->reason_code, "BYTES_DIFFER");
  EXPECT_THAT(bad->reason, HasSubstr("18 bytes differ from what was sent, the first at offset 17"));
  EXPECT_THAT(bad->samples, SizeIs(6));
  EXPECT_EQ(result->verdict, Verdict::kFail);
  EXPECT_EQ(result->mismatched_bytes, 18);
  EXPECT_THAT(result->links, Contains(AllOf(Field(&JudgedLink::verdict, Verdict::kFail),
                                            Field(&JudgedLink::reason_code, "BYTES_DIFFER"))));
  EXPECT_THAT(result->links, Contains(Field(&JudgedLink::verdict, Verdict::kPass)));
}

TEST_F(CampaignTest, APointThatDoesNotFitIsWaivedAndEarlierOnesStay) {
  Backend().script.refuse_prepare["bw.self core:0 core:0 8192"] = {kit::RowStatus::kWaived, "INSUFFICIENT_MEMORY",
                                                                   "needs X, has Y"};
  const auto result = Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096, 8192, 16384],
                              "pairs": [{"src": "core:0", "dst": "core:0"}]})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].status, kit::RowStatus::kOk);
  EXPECT_EQ(rows[1].status, kit::RowStatus::kWaived);
  EXPECT_EQ(rows[1].reason, "needs X, has Y");
  EXPECT_EQ(rows[1].labels.at("src"), "core:0");
  EXPECT_EQ(rows[2].status, kit::RowStatus::kOk);
  EXPECT_EQ(result->verdict, Verdict::kPass);
}

TEST_F(CampaignTest, AnErrorInASampleKeepsTheSamplesBefore) {
  Backend().script.refuse_sample["bw.one core:0 core:1 4096"] = {kit::RowStatus::kError, "ILLEGAL", "why"};
  const auto result = Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096]})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  const auto bad = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.value; });
  ASSERT_NE(bad, rows.end());
  EXPECT_EQ(bad->status, kit::RowStatus::kError);
  EXPECT_THAT(bad->samples, SizeIs(2));
  EXPECT_EQ(result->verdict, Verdict::kInconclusive);
}

TEST_F(CampaignTest, RejectedSamplesAreCountedNotDropped) {
  Backend().script.reject["bw.self core:0 core:0 4096"] = "events are 0 ms apart";
  const auto result = Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096]})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  const auto bad = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.value; });
  ASSERT_NE(bad, rows.end());
  EXPECT_EQ(bad->status, kit::RowStatus::kInconclusive);
  EXPECT_EQ(bad->reason_code, "TOO_FEW_SAMPLES");
  EXPECT_EQ(bad->reason, "20 of 20 samples rejected: events are 0 ms apart");
}

TEST_F(CampaignTest, ThePairDeadlineCoversAllSizes) {
  Backend().script.time_per_operation = milliseconds(100);
  const auto result = Run(R"({"cases": ["bw.self"], "sizes_bytes": [4096, 8192], "warmup": 0, "min_sample_time": "0s",
                              "samples": 15, "pair_deadline": "1s", "pairs": [{"src": "core:0", "dst": "core:0"}]})");
  ASSERT_TRUE(result.ok());
  const auto rows = Rows();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].status, kit::RowStatus::kTimeout);
  EXPECT_THAT(rows[0].samples, SizeIs(9));
  EXPECT_EQ(rows[1].status, kit::RowStatus::kTimeout);
  EXPECT_THAT(rows[1].reason, HasSubstr("deadline of 1 s passed before this size"));
  EXPECT_THAT(Backend().prepared, SizeIs(1));
  EXPECT_EQ(result->verdict, Verdict::kInconclusive);
}

TEST_F(CampaignTest, CancellationEndsBetweenSamplesWithoutAResult) {
  cancel_at = seconds(2);
  Backend().script.time_per_operation = milliseconds(100);
  const auto result = Run(R"({"cases": ["bw.one"], "samples": 100})");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "CANCELLED");
  EXPECT_LE(clock, seconds(3));
  EXPECT_THAT(sink.Of<kit::TypedResult>(), IsEmpty());
  EXPECT_THAT(Rows(), IsEmpty());
  EXPECT_THAT(sink.Of<kit::Failure>(), ElementsAre(Field(&kit::Failure::code, "CANCELLED")));
}

TEST_F(CampaignTest, ABrokenSinkEndsTheRun) {
  sink.limit = 10;
  const auto result = Run(R"({"cases": ["bw.one"]})");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "WRITE_FAILED");
  EXPECT_THAT(Backend().prepared, SizeIs(1));
}

TEST_F(CampaignTest, WithoutVerificationNothingPasses) {
  const auto result = Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096], "verification": "P2P_VERIFICATION_NONE"})");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(Rows()[0].labels.at("verified"), "none");
  EXPECT_EQ(result->verified_bytes, 0);
  EXPECT_EQ(result->verdict, Verdict::kInconclusive);
  EXPECT_EQ(result->links[0].reason_code, "VERIFICATION_OFF");
}

TEST_F(CampaignTest, ACheckTheBackendCannotMakeVetoesAPass) {
  Backend().unchecked = Refusal{kit::RowStatus::kInconclusive, "NO_KERNEL_CHECKS", "why"};
  const auto result = Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096]})");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->verdict, Verdict::kInconclusive);
  EXPECT_EQ(result->links[0].reason_code, "NO_KERNEL_CHECKS");
}

TEST_F(CampaignTest, UnstableSamplesAreSaid) {
  Backend().script.value = [](std::int64_t index) { return index % 2 == 0 ? 1.0 : 10.0; };
  ASSERT_TRUE(Run(R"({"cases": ["bw.one"], "sizes_bytes": [4096]})").ok());
  EXPECT_THAT(sink.Of<kit::Warning>(), Contains(Field(&kit::Warning::code, "UNSTABLE")));
}

TEST_F(CampaignTest, FewSamplesGiveNoInterval) {
  ASSERT_TRUE(Run(R"({"cases": ["bw.one"], "samples": 5})").ok());
  EXPECT_FALSE(Rows()[0].interval);
  EXPECT_TRUE(Rows()[0].value);
}

TEST_F(CampaignTest, PairOrderFollowsTheSeed) {
  FakeBackend one(5, &clock);
  const Spec spec = *ParseSpec(R"({"cases": ["bw.one"]})");
  const auto order = [&](std::uint64_t seed) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    const kit::Result<Plan> plan = MakePlan(spec, one, {}, seed);
    for (const Block& block : plan->blocks) pairs.emplace_back(block.pair.src, block.pair.dst);
    return pairs;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  const auto pairs = order(1);
  EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), 20u);
  EXPECT_FALSE(std::is_sorted(pairs.begin(), pairs.end()));
}

TEST_F(CampaignTest, ShapesChooseTheirPairs) {
  FakeBackend three(3, &clock);
  const auto count = [&](const std::string& id) {
    return MakePlan(*ParseSpec(R"({"cases": [")" + id + R"("]})"), three, {}, 1)->blocks.size();
  };
  EXPECT_EQ(count("bw.one"), 6u);
  EXPECT_EQ(count("bw.both"), 3u);
  EXPECT_EQ(count("bw.self"), 3u);
  EXPECT_EQ(count("lat.any"), 9u);
  EXPECT_EQ(count("bw.*"), 12u);
}

TEST_F(CampaignTest, CasesWithoutPairsOrBackendAreWaivedWithAReason) {
  backend = std::make_unique<FakeBackend>(1, &clock);
  ASSERT_TRUE(Run(R"({"cases": ["bw.*", "gpu.only"]})").ok());
  std::map<std::string, std::string> waived;
  for (const kit::Measurement& row : Rows()) {
    if (row.status == kit::RowStatus::kWaived) waived[row.case_id] = row.reason_code;
  }
  EXPECT_EQ(waived,
            (std::map<std::string, std::string>{
                {"bw.one", "SINGLE_ENDPOINT"}, {"bw.both", "SINGLE_ENDPOINT"}, {"gpu.only", "CASE_NOT_IN_BACKEND"}}));
}

TEST_F(CampaignTest, NamedPairsThatSuitNoCaseAreWaived) {
  ASSERT_TRUE(Run(R"({"cases": ["bw.one"], "pairs": [{"src": "core:0", "dst": "core:0"}]})").ok());
  ASSERT_THAT(Rows(), SizeIs(1));
  EXPECT_EQ(Rows()[0].reason_code, "NO_MATCHING_PAIR");
}

TEST_F(CampaignTest, UnknownCasesAndEndpointsAreBadSpecs) {
  const auto unknown = Run(R"({"cases": ["bw.one", "nope*"]})");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "BAD_SPEC");
  EXPECT_THAT(unknown.error().message, HasSubstr("cases[1]: \"nope*\" matches no case; there are bw.both bw.one"));
  const auto endpoint = Run(R"({"pairs": [{"src": "core:0", "dst": "core:7"}]})");
  ASSERT_FALSE(endpoint.ok());
  EXPECT_THAT(endpoint.error().message,
              HasSubstr("pairs[0].dst: \"core:7\" is no endpoint here; there are core:0 core:1"));
  EXPECT_THAT(sink.events, IsEmpty());
}

}  // namespace
}  // namespace benchwire::p2p
