#include "server/gateway/transcoder.h"

#include <benchwire/v1/digest_service.pb.h>
#include <benchwire/v1/event_service.pb.h>
#include <benchwire/v1/job_service.pb.h>
#include <gmock/gmock.h>
#include <google/protobuf/field_mask.pb.h>
#include <gtest/gtest.h>

#include "server/gateway/field_value.h"

namespace benchwire::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TranscoderTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<google::protobuf::Message>> Build(const std::string& method, const std::string& target,
                                                                   const std::string& body = "",
                                                                   HeaderList headers = {}) {
    HttpRequest request;
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string::npos) request.query = target.substr(target.find('?') + 1);
    request.body = body;
    request.headers = std::move(headers);
    const RouteMatch match = table_->Find(method, *ParsePath(request.path));
    if (match.route == nullptr) return absl::NotFoundError("no route");
    return BuildRpcRequest(match, request);
  }

  template <typename Request>
  Request Get(const std::string& method, const std::string& target, const std::string& body = "",
              HeaderList headers = {}) {
    auto built = Build(method, target, body, std::move(headers));
    EXPECT_TRUE(built.ok()) << built.status();
    Request out;
    if (built.ok()) out.CopyFrom(**built);
    return out;
  }

  std::string Error(const std::string& method, const std::string& target, const std::string& body = "") {
    auto built = Build(method, target, body);
    EXPECT_EQ(built.status().code(), absl::StatusCode::kInvalidArgument) << target << " " << body;
    return std::string(built.status().message());
  }

  absl::StatusOr<RouteTable> table_ =
      RouteTable::Build({"benchwire.v1.DigestService", "benchwire.v1.JobService", "benchwire.v1.EventService"});
};

TEST_F(TranscoderTest, BindsQueryInBothSpellings) {
  for (const char* target : {"/v1/jobs?pageSize=7&states=JOB_STATE_QUEUED&states=JOB_STATE_RUNNING&page_token=a%20b",
                             "/v1/jobs?page_size=7&states=JOB_STATE_QUEUED&states=JOB_STATE_RUNNING&pageToken=a+b"}) {
    const auto request = Get<v1::ListJobsRequest>("GET", target);
    EXPECT_EQ(request.page_size(), 7);
    EXPECT_EQ(request.page_token(), "a b");
    EXPECT_THAT(request.states(), ElementsAre(v1::JOB_STATE_QUEUED, v1::JOB_STATE_RUNNING));
  }
}

TEST_F(TranscoderTest, BindsBodyFieldPathAndQueryTogether) {
  const auto request = Get<v1::CreateJobRequest>(
      "POST", "/v1/jobs?requestId=r1&allowUnsatisfiable=true",
      R"({"displayName":"x","p2p":{"sizesBytes":["4096"],"minSampleTime":"1.5s"},"seed":"7"})");
  EXPECT_EQ(request.request_id(), "r1");
  EXPECT_TRUE(request.allow_unsatisfiable());
  EXPECT_EQ(request.job().display_name(), "x");
  EXPECT_EQ(request.job().seed(), 7);
  EXPECT_EQ(request.job().p2p().min_sample_time().nanos(), 500'000'000);
  const auto cancel = Get<v1::CancelJobRequest>("POST", "/v1/jobs/a:cancel", R"({"reason":"no"})");
  EXPECT_EQ(cancel.name(), "jobs/a");
  EXPECT_EQ(cancel.reason(), "no");
}

TEST_F(TranscoderTest, RefusesBadParametersNamingThem) {
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=abc"), HasSubstr("pageSize: 'abc' is not valid; expected an integer"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=99999999999"), HasSubstr("2147483647"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=1.5"), HasSubstr("pageSize"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize="), HasSubstr("pageSize"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=%201"), HasSubstr("pageSize"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=1&pageSize=2"), HasSubstr("at most once"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pageSize=1&page_size=1"), HasSubstr("at most once"));
  EXPECT_THAT(Error("GET", "/v1/jobs?pagesize=5"), HasSubstr("one of the parameters pageSize, pageToken, states"));
  EXPECT_THAT(Error("GET", "/v1/jobs?x=1"), HasSubstr("x: '1'"));
  EXPECT_THAT(Error("GET", "/v1/jobs?states=running"), HasSubstr("JOB_STATE_RUNNING"));
  EXPECT_THAT(Error("GET", "/v1/jobs/a?name=jobs/b"), HasSubstr("at most once"));
  EXPECT_THAT(Error("POST", "/v1/jobs?allowUnsatisfiable=yes"), HasSubstr("true or false"));
  EXPECT_THAT(Error("POST", "/v1/jobs?allowUnsatisfiable=yes", R"({"seed":"1"})"), HasSubstr("true or false"));
  EXPECT_THAT(Error("POST", "/v1/jobs?job.seed=1"), HasSubstr("requestId"));
  EXPECT_THAT(Error("POST", "/v1/jobs/a:cancel?reason=x"), HasSubstr("from the body"));
}

TEST_F(TranscoderTest, NegativeNumbersReachTheServiceThatJudgesThem) {
  EXPECT_EQ(Get<v1::ListJobsRequest>("GET", "/v1/jobs?pageSize=-1").page_size(), -1);
}

TEST_F(TranscoderTest, RefusesBadBodies) {
  EXPECT_THAT(Error("POST", "/v1/jobs", "{"), HasSubstr("body"));
  EXPECT_THAT(Error("POST", "/v1/jobs", "[]"), HasSubstr("body"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"nothing":1})"), HasSubstr("nothing"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"p2p":{"samples":"many"}})"), HasSubstr("samples"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"p2p":{"samples":3000000000}})"), HasSubstr("3000000000"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"timeout":"1m"})"), HasSubstr("timeout"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"timeout":90})"), HasSubstr("timeout"));
  EXPECT_THAT(Error("POST", "/v1/jobs", R"({"requirements":{"workerLabels":{"a":{"b":1}}}})"),
              HasSubstr("workerLabels"));
  EXPECT_THAT(Error("POST", "/v1/jobs", std::string(100, '[')), HasSubstr("64 deep"));
  EXPECT_THAT(Error("POST", "/v1/digests/d/entries", R"({"claims":[{"confidence":"NaN"}]})"), HasSubstr("confidence"));
  EXPECT_THAT(Error("DELETE", "/v1/digests/d/entries/e", R"({"etag":"x"})"), HasSubstr("no body"));
  EXPECT_EQ(Get<v1::DeleteEntryRequest>("DELETE", "/v1/digests/d/entries/e?etag=x", "{}").etag(), "x");
}

TEST_F(TranscoderTest, DepthCountsStructureNotText) {
  const std::string brackets(200, '[');
  EXPECT_EQ(
      Get<v1::CreateJobRequest>("POST", "/v1/jobs", R"({"displayName":"\")" + brackets + "\"}").job().display_name(),
      "\"" + brackets);
}

TEST_F(TranscoderTest, ThePathNamesTheResource) {
  const std::string target = "/v1/digests/d/entries/e";
  EXPECT_EQ(Get<v1::UpdateEntryRequest>("PATCH", target, R"({"category":"x"})").entry().name(), "digests/d/entries/e");
  EXPECT_THAT(Error("PATCH", target, R"({"name":"digests/d/entries/f","category":"x"})"), HasSubstr("in the path"));
}

TEST_F(TranscoderTest, APatchWithoutMaskChangesWhatItsBodyHolds) {
  const auto request = Get<v1::UpdateEntryRequest>(
      "PATCH", "/v1/digests/d/entries/e",
      R"({"name":"digests/d/entries/e","etag":"7","title":{"zh":"新"},"tags":[],"position":null,"body":{}})");
  EXPECT_EQ(request.entry().etag(), "7");
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("body", "position", "tags", "title.zh"));
}

TEST_F(TranscoderTest, APatchThatChangesNothingIsRefused) {
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e", "{}"), HasSubstr("updateMask"));
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e", ""), HasSubstr("updateMask"));
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e", R"({"etag":"7"})"), HasSubstr("at least one field"));
}

TEST_F(TranscoderTest, MasksInBothSpellingsMeanTheSame) {
  for (const char* query :
       {"updateMask=createTime,title.zh", "update_mask=create_time,title.zh", "updateMask=create_time%2Ctitle.zh"}) {
    const auto request =
        Get<v1::UpdateEntryRequest>("PATCH", std::string("/v1/digests/d/entries/e?") + query, R"({"category":"x"})");
    EXPECT_THAT(request.update_mask().paths(), ElementsAre("create_time", "title.zh")) << query;
  }
  EXPECT_THAT(Get<v1::UpdateEntryRequest>("PATCH", "/v1/digests/d/entries/e?updateMask=*", "").update_mask().paths(),
              ElementsAre("*"));
  EXPECT_THAT(Get<v1::UpdateEntryRequest>("PATCH", "/v1/digests/d/entries/e?updateMask=", R"({"category":"x"})")
                  .update_mask()
                  .paths(),
              ElementsAre("category"));
}

TEST_F(TranscoderTest, BadMasksAreRefusedWithTheRightPlace) {
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e?updateMask=nothing", "{}"), HasSubstr("updateMask: 'nothing'"));
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e?updateMask=tags.x", "{}"), HasSubstr("tags.x"));
  EXPECT_THAT(Error("PATCH", "/v1/digests/d/entries/e", R"({"updateMask":{"paths":["body"]}})"),
              HasSubstr("query parameter updateMask"));
}

TEST_F(TranscoderTest, LastEventIdStandsForTheRevision) {
  EXPECT_EQ(Get<v1::WatchEventsRequest>("GET", "/v1/events:watch?afterRevision=3", "", {{"last-event-id", "9"}})
                .after_revision(),
            9);
  EXPECT_FALSE(Get<v1::WatchEventsRequest>("GET", "/v1/events:watch").has_after_revision());
  const auto bad = Build("GET", "/v1/events:watch", "", {{"Last-Event-ID", "x"}});
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("Last-Event-ID"));
}

TEST(FieldValueTest, TimesAndNumbersHaveOneForm) {
  v1::Job job;
  const auto set = [&job](const std::string& path, const std::string& text) {
    return SetFromText(&job, *FindField(job.GetDescriptor(), path), path, text, nullptr);
  };
  EXPECT_TRUE(set("timeout", "1.5s").ok());
  EXPECT_EQ(job.timeout().nanos(), 500'000'000);
  EXPECT_TRUE(set("createTime", "2026-01-14T09:00:00+08:00").ok());
  EXPECT_EQ(job.create_time().seconds(), 1'768'352'400);
  EXPECT_TRUE(set("requirements.device_count", "2").ok());
  EXPECT_EQ(job.requirements().device_count(), 2);
  EXPECT_TRUE(set("progress.fraction", "0.5").ok());
  for (const auto& [path, text] :
       std::vector<std::pair<std::string, std::string>>{{"timeout", "90"},
                                                        {"timeout", "1m"},
                                                        {"createTime", "2026-01-14T09:00:00"},
                                                        {"progress.fraction", "nan"},
                                                        {"progress.fraction", "inf"},
                                                        {"progress.fraction", "1,5"},
                                                        {"labels", "a"},
                                                        {"requirements", "x"},
                                                        {"seed", "0x10"}}) {
    const absl::Status status = set(path, text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path << "=" << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

}  // namespace
}  // namespace benchwire::gateway
