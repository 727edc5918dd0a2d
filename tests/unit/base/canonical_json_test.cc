#include "server/base/canonical_json.h"

#include <benchwire/v1/agent_service.pb.h>
#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/measurement.pb.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "server/base/status.h"

namespace benchwire {
namespace {

using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;

v1::P2pSpec Spec() {
  v1::P2pSpec spec;
  spec.set_backend(v1::P2P_BACKEND_HOST);
  spec.add_cases("bw.unidir.write");
  spec.add_cases("latency");
  spec.add_sizes_bytes(64 << 20);
  v1::P2pPair& pair = *spec.add_pairs();
  pair.set_src("numa:0");
  pair.set_dst("numa:1");
  spec.set_samples(20);
  spec.set_warmup(0);
  spec.mutable_min_sample_time()->set_nanos(20'000'000);
  spec.mutable_pair_deadline()->set_seconds(60);
  return spec;
}

TEST(CanonicalJson, IsTheseBytesAndNoOthers) {
  EXPECT_EQ(*CanonicalJson(Spec()),
            R"({"backend":"P2P_BACKEND_HOST","cases":["bw.unidir.write","latency"],"sizes_bytes":["67108864"],)"
            R"("pairs":[{"src":"numa:0","dst":"numa:1"}],"samples":20,"warmup":0,"min_sample_time":"0.020s",)"
            R"("pair_deadline":"60s"})");
  EXPECT_EQ(*CanonicalJson(v1::P2pSpec()), "{}");
}

TEST(CanonicalJson, IsWhatProtobufWritesForTheSameSpec) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(Spec(), &json, options).ok());
  EXPECT_EQ(*CanonicalJson(Spec()), json);
}

TEST(CanonicalJson, ReadsBackAsTheSameMessage) {
  v1::Measurement row;
  row.set_metric("quote \" backslash \\ tab \t 带宽 <b>");
  row.set_value(0.1);
  for (double sample : {1e-300, -0.0, 123456789.123456789, 1e300, 5.0}) row.add_samples(sample);
  (*row.mutable_labels())["src"] = "a";
  (*row.mutable_labels())["dst"] = "b";
  row.set_status(static_cast<v1::MeasurementStatus>(99));
  v1::Measurement read;
  const auto json = CanonicalJson(row);
  ASSERT_TRUE(JsonStringToMessage(*json, &read).ok()) << *json;
  EXPECT_TRUE(MessageDifferencer::Equals(row, read)) << *json;
  EXPECT_THAT(*json, testing::HasSubstr(R"("labels":{"dst":"b","src":"a"})"));
}

TEST(CanonicalJson, DurationsHaveAsManyGroupsOfDecimalsAsTheyNeed) {
  const auto text = [](int64_t seconds, int32_t nanos) {
    v1::P2pSpec spec;
    spec.mutable_pair_deadline()->set_seconds(seconds);
    spec.mutable_pair_deadline()->set_nanos(nanos);
    return *CanonicalJson(spec);
  };
  EXPECT_EQ(text(0, 0), R"({"pair_deadline":"0s"})");
  EXPECT_EQ(text(100, 0), R"({"pair_deadline":"100s"})");
  EXPECT_EQ(text(1, 1), R"({"pair_deadline":"1.000000001s"})");
  EXPECT_EQ(text(1, 1'000), R"({"pair_deadline":"1.000001s"})");
  EXPECT_EQ(text(0, -500'000'000), R"({"pair_deadline":"-0.500s"})");
}

TEST(CanonicalJson, ATypeWithoutAFormIsAnError) {
  v1::ReportRequest report;
  report.set_log("bytes");
  EXPECT_EQ(ErrorReason(CanonicalJson(report).status()), "NO_CANONICAL_JSON");
  v1::Job job;
  job.mutable_create_time()->set_seconds(1);
  EXPECT_EQ(ErrorReason(CanonicalJson(job).status()), "NO_CANONICAL_JSON");
}

}  // namespace
}  // namespace benchwire
