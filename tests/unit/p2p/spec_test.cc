#include "workers/p2p/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchwire::p2p {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SpecTest, DefaultsAreTheContracts) {
  for (const char* text :
       {"{}", R"({"cases": [], "sizes_bytes": [], "pairs": [], "backend": "P2P_BACKEND_UNSPECIFIED"})"}) {
    const kit::Result<Spec> spec = ParseSpec(text);
    ASSERT_TRUE(spec.ok());
    EXPECT_EQ(spec->backend, BackendKind::kAuto);
    EXPECT_THAT(spec->cases, ElementsAre("*"));
    EXPECT_THAT(spec->sizes_bytes, ElementsAre(64 << 20));
    EXPECT_TRUE(spec->pairs.empty());
    EXPECT_EQ(spec->samples, 20);
    EXPECT_EQ(spec->warmup, 4);
    EXPECT_EQ(spec->min_sample_time, milliseconds(20));
    EXPECT_TRUE(spec->verify);
    EXPECT_EQ(spec->pair_deadline, seconds(60));
  }
}

TEST(SpecTest, ReadsAResolvedSpec) {
  const kit::Result<Spec> spec =
      ParseSpec(R"({"backend": "P2P_BACKEND_HOST", "cases": ["bw.*"], "sizes_bytes": ["4096", "65536"],
    "pairs": [{"src": "core:0", "dst": "core:1"}], "samples": 6, "warmup": 0, "min_sample_time": "0s",
    "verification": "P2P_VERIFICATION_NONE", "pair_deadline": "5s"})");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->backend, BackendKind::kHost);
  EXPECT_THAT(spec->sizes_bytes, ElementsAre(4096, 65536));
  EXPECT_THAT(spec->pairs, ElementsAre(PairName{"core:0", "core:1"}));
  EXPECT_EQ(spec->warmup, 0);
  EXPECT_FALSE(spec->verify);
}

TEST(SpecTest, RefusesWhatTheContractForbids) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"sizes_bytes": [0]})", "sizes_bytes[0]: 0; want an integer from 4096"},
      {R"({"sizes_bytes": ["9223372036854775807"]})", "sizes_bytes[0]: \"9223372036854775807\"; want"},
      {R"({"sizes_bytes": [4096, 4096]})", "sizes_bytes: a size stands twice"},
      {R"({"samples": 10001})", "samples: 10001; want an integer from 1 to 10000"},
      {R"({"warmup": -1})", "warmup: -1; want an integer from 0 to 1000"},
      {R"({"min_sample_time": "61s"})", "min_sample_time: \"61s\"; want"},
      {R"({"pair_deadline": "0s"})", "pair_deadline: \"0s\"; want"},
      {R"({"backend": "CUDA"})", "backend: \"CUDA\"; want one of"},
      {R"({"backend": 2})", "backend: 2; want one of"},
      {R"({"pairs": [{"src": "core:0"}]})", "pairs[0].dst: absent"},
      {R"({"seed": 1})", "\"seed\": 1; want no such field"},
  };
  for (const auto& [text, message] : cases) {
    const kit::Result<Spec> spec = ParseSpec(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_EQ(spec.error().code, "BAD_SPEC");
    EXPECT_THAT(spec.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace benchwire::p2p
