#include "server/gateway/path_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/gateway/route_table.h"

namespace benchwire::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::optional<PathBindings> Match(const std::string& path_template, const std::string& path) {
  const auto parsed = PathTemplate::Parse(path_template);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const auto request = ParsePath(path);
  EXPECT_TRUE(request.ok()) << request.status();
  return parsed->Match(*request);
}

TEST(PathTemplateTest, BindsSegmentsOfAVariable) {
  EXPECT_THAT(*Match("/v1/{name=jobs/*/attempts/*}/log", "/v1/jobs/j1/attempts/2/log"),
              ElementsAre(Pair("name", "jobs/j1/attempts/2")));
  EXPECT_THAT(*Match("/v1/jobs", "/v1/jobs"), IsEmpty());
  EXPECT_THAT(*Match("/v1/{name}", "/v1/x"), ElementsAre(Pair("name", "x")));
}

TEST(PathTemplateTest, NeedsEverySegmentAndNoMore) {
  EXPECT_FALSE(Match("/v1/{name=jobs/*}", "/v1/jobs"));
  EXPECT_FALSE(Match("/v1/{name=jobs/*}", "/v1/jobs/"));
  EXPECT_FALSE(Match("/v1/{name=jobs/*}", "/v1/jobs/a/b"));
  EXPECT_FALSE(Match("/v1/{name=jobs/*}", "/v1/workers/a"));
}

TEST(PathTemplateTest, TakesTheVerbOffTheLastSegment) {
  EXPECT_THAT(*Match("/v1/{name=jobs/*}:cancel", "/v1/jobs/j1:cancel"), ElementsAre(Pair("name", "jobs/j1")));
  EXPECT_THAT(*Match("/v1/{name=jobs/*/attempts/*}/log:watch", "/v1/jobs/j/attempts/1/log:watch"),
              ElementsAre(Pair("name", "jobs/j/attempts/1")));
  EXPECT_FALSE(Match("/v1/{name=jobs/*}:cancel", "/v1/jobs/j1:retry"));
  EXPECT_FALSE(Match("/v1/{name=jobs/*}:cancel", "/v1/jobs/:cancel"));
}

TEST(PathTemplateTest, DecodesOnceAndRefusesHiddenSeparators) {
  EXPECT_THAT(*Match("/v1/{name=digests/*}", "/v1/digests/%E4%B8%AD"), ElementsAre(Pair("name", "digests/中")));
  EXPECT_THAT(*Match("/v1/{name=digests/*}", "/v1/digests/a%252Fb"), ElementsAre(Pair("name", "digests/a%2Fb")));
  for (const char* path : {"/v1/jobs/a%2Fb", "/v1/jobs/a%5Cb", "/v1/jobs/a%00", "/v1/jobs/a%0a", "/v1/jobs/%FF",
                           "/v1/jobs/%", "/v1/jobs/%4", "/v1/jobs/%zz", "/v1/jobs/%C0%AF"}) {
    EXPECT_EQ(ParsePath(path).status().code(), absl::StatusCode::kInvalidArgument) << path;
  }
}

TEST(PathTemplateTest, RefusesTemplatesItDoesNotUnderstand) {
  for (const char* text : {"v1/x", "/v1/{name=**}", "/v1/{name", "/v1//x", "/v1/{a=x}y"}) {
    EXPECT_FALSE(PathTemplate::Parse(text).ok()) << text;
  }
}

class RouteTableTest : public testing::Test {
 protected:
  RouteMatch Find(const std::string& method, const std::string& path) {
    EXPECT_TRUE(table_.ok()) << table_.status();
    return table_->Find(method, *ParsePath(path));
  }
  absl::StatusOr<RouteTable> table_ =
      RouteTable::Build({"benchwire.v1.DigestService", "benchwire.v1.JobService", "benchwire.v1.FleetService",
                         "benchwire.v1.EventService", "benchwire.v1.AgentService"});
};

TEST_F(RouteTableTest, FindsTheRpcOfARequest) {
  EXPECT_EQ(Find("GET", "/v1/jobs").route->rpc_path, "/benchwire.v1.JobService/ListJobs");
  EXPECT_EQ(Find("POST", "/v1/jobs").route->rpc_path, "/benchwire.v1.JobService/CreateJob");
  EXPECT_EQ(Find("GET", "/v1/jobs/a").route->rpc_path, "/benchwire.v1.JobService/GetJob");
  EXPECT_EQ(Find("POST", "/v1/jobs/a:cancel").route->rpc_path, "/benchwire.v1.JobService/CancelJob");
  EXPECT_EQ(Find("PATCH", "/v1/digests/d/entries/e").route->rpc_path, "/benchwire.v1.DigestService/UpdateEntry");
  EXPECT_EQ(Find("GET", "/v1/events:watch").route->rpc_path, "/benchwire.v1.EventService/WatchEvents");
}

TEST_F(RouteTableTest, ServesAdditionalBindings) {
  EXPECT_EQ(Find("GET", "/v1/jobs/a/measurements").route->rpc_path,
            Find("GET", "/v1/jobs/a/attempts/1/measurements").route->rpc_path);
}

TEST_F(RouteTableTest, NamesTheMethodsOfAPathThatHasOthers) {
  EXPECT_THAT(Find("PUT", "/v1/jobs").allowed, testing::UnorderedElementsAre("GET", "HEAD", "POST"));
  EXPECT_THAT(Find("GET", "/v1/jobs/a:cancel").allowed, ElementsAre("POST"));
  EXPECT_THAT(Find("GET", "/v1/nothing").allowed, IsEmpty());
}

TEST_F(RouteTableTest, ServesNothingOfTheWorkersProtocol) {
  for (const Route& route : table_->routes()) EXPECT_THAT(route.rpc_path, testing::Not(testing::HasSubstr("Agent")));
}

TEST_F(RouteTableTest, RefusesAServiceThatIsNotCompiledIn) {
  EXPECT_EQ(RouteTable::Build({"benchwire.v1.Nothing"}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace benchwire::gateway
