#include "clients/cli/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/sha256.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;

TEST(JobFile, SpecIsWrittenAsRunnersReadIt) {
  const auto job = ParseJobFile("job.json",
                                "\xEF\xBB\xBF{\"name\": \"jobs/01a\",\r\n \"seed\": \"42\", \"p2p\": {\"backend\": "
                                "\"P2P_BACKEND_HOST\", \"sizesBytes\": [\"4096\"], \"minSampleTime\": \"0.020s\"}}");
  ASSERT_TRUE(job.ok()) << job.status();
  const auto input = InputOf(*job);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->kind, "p2p");
  EXPECT_EQ(input->seed, 42);
  EXPECT_EQ(input->spec_json, R"({"backend":"P2P_BACKEND_HOST","sizes_bytes":["4096"],"min_sample_time":"0.020s"})");
  EXPECT_TRUE(input->digest_matches);
}

TEST(JobFile, AFieldOfANewerJobIsIgnoredButNotOneOfTheSpec) {
  EXPECT_TRUE(ParseJobFile("f", R"({"seed": 1, "shinyNewField": {}, "p2p": {}})").ok());
  const auto job = ParseJobFile("f", R"({"seed": 1, "p2p": {"shinyNewField": 3}})");
  EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("f: p2p"));
}

TEST(JobFile, SaysWhatIsMissing) {
  for (const char* text : {"", "[]", "not json", "{\"p2p\": 3}", "{\"seed\": \"x\"}"}) {
    EXPECT_EQ(ParseJobFile("f", text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(InputOf(*ParseJobFile("f", R"({"seed": 1})")).status().message()), HasSubstr("no spec"));
  EXPECT_THAT(std::string(InputOf(*ParseJobFile("f", R"({"p2p": {}})")).status().message()), HasSubstr("no seed"));
  EXPECT_THAT(std::string(InputOf(*ParseJobFile("f", R"({"p2p": {}, "seed": -1})")).status().message()),
              HasSubstr("-1"));
}

TEST(JobFile, ADigestOfOtherBytesIsNoticed) {
  v1::Job job;
  job.set_seed(1);
  job.mutable_p2p()->set_samples(20);
  job.set_spec_digest(Sha256Hex(R"({"samples":20})"));
  EXPECT_TRUE(InputOf(job)->digest_matches);
  job.mutable_p2p()->set_samples(21);
  EXPECT_FALSE(InputOf(job)->digest_matches);
}

}  // namespace
}  // namespace benchwire::cli
