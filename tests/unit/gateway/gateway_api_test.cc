// /v1 over real sockets: JSON, errors, caching, safety.
#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>

#include "tests/unit/gateway/fake_server.h"
#include "tests/unit/gateway/http_client.h"

namespace benchwire::gateway {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

constexpr char kJson[] = "Content-Type: application/json\r\n";
constexpr char kDigest[] = "/v1/digests/2026-01-14";

class GatewayApiTest : public testing::Test {
 protected:
  FakeServer fake_;
  int port_ = fake_.port();
};

TEST_F(GatewayApiTest, AnswersAsJsonWithLowerCamelCaseKeys) {
  const Reply reply = Get(port_, "/v1/jobs/01kf0sample000000000000001");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
  EXPECT_THAT(reply.body, HasSubstr("\"displayName\":\"P2P bandwidth, H100\""));
  EXPECT_THAT(reply.body, HasSubstr("\"seed\":\"42\""));
}

TEST_F(GatewayApiTest, PassesBodyPathAndQueryOn) {
  const Reply reply = Request(port_, "POST", "/v1/jobs?requestId=r1", kJson, R"({"displayName":"中","p2p":{}})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(fake_.jobs.created.request_id(), "r1");
  EXPECT_EQ(fake_.jobs.created.job().display_name(), "中");
  EXPECT_EQ(Request(port_, "PATCH", "/v1/digests/d/entries/e", kJson, R"({"category":"GPU"})").status, 200);
  EXPECT_THAT(fake_.digests.updated.update_mask().paths(), testing::ElementsAre("category"));
  EXPECT_EQ(Request(port_, "DELETE", "/v1/digests/d/entries/e", kJson).body, "{}");
}

TEST_F(GatewayApiTest, ErrorsAreStatusJson) {
  Reply reply = Get(port_, "/v1/jobs?pageSize=abc");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":3"));
  EXPECT_THAT(reply.body, HasSubstr("type.googleapis.com/google.rpc.BadRequest"));
  EXPECT_THAT(reply.body, HasSubstr("\"field\":\"pageSize\""));
  reply = Get(port_, "/v1/jobs/none");
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":5"));
  reply = Get(port_, "/v1/nothing");
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("NO_SUCH_PATH"));
  EXPECT_EQ(Get(port_, "/v1").status, 404);
  EXPECT_EQ(Get(port_, "/v1/workers/w").status, 501);
  EXPECT_EQ(Get(port_, "/v1/jobs/a%2Fb").status, 400);
}

TEST_F(GatewayApiTest, EveryCodeHasItsHttpStatus) {
  const std::vector<std::pair<grpc::StatusCode, int>> codes = {{grpc::StatusCode::INVALID_ARGUMENT, 400},
                                                               {grpc::StatusCode::FAILED_PRECONDITION, 400},
                                                               {grpc::StatusCode::OUT_OF_RANGE, 400},
                                                               {grpc::StatusCode::UNAUTHENTICATED, 401},
                                                               {grpc::StatusCode::PERMISSION_DENIED, 403},
                                                               {grpc::StatusCode::NOT_FOUND, 404},
                                                               {grpc::StatusCode::ABORTED, 409},
                                                               {grpc::StatusCode::ALREADY_EXISTS, 409},
                                                               {grpc::StatusCode::RESOURCE_EXHAUSTED, 429},
                                                               {grpc::StatusCode::CANCELLED, 499},
                                                               {grpc::StatusCode::INTERNAL, 500},
                                                               {grpc::StatusCode::UNKNOWN, 500},
                                                               {grpc::StatusCode::DATA_LOSS, 500},
                                                               {grpc::StatusCode::UNIMPLEMENTED, 501},
                                                               {grpc::StatusCode::UNAVAILABLE, 503},
                                                               {grpc::StatusCode::DEADLINE_EXCEEDED, 504}};
  for (const auto& [code, status] : codes) {
    fake_.jobs.error = grpc::Status(code, "because");
    const Reply reply = Get(port_, "/v1/jobs/x");
    EXPECT_EQ(reply.status, status) << code;
    EXPECT_THAT(reply.body, HasSubstr("because"));
  }
}

TEST_F(GatewayApiTest, DetailsSurviveAndRetryInfoBecomesAHeader) {
  google::rpc::Status status;
  status.set_code(8);
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(1);
  status.add_details()->PackFrom(retry);
  status.add_details()->set_type_url("type.googleapis.com/unknown.Type");
  fake_.jobs.error = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "full", status.SerializeAsString());
  const Reply reply = Get(port_, "/v1/jobs/x");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
  EXPECT_THAT(reply.body, HasSubstr("google.rpc.RetryInfo"));
  EXPECT_THAT(reply.body, Not(HasSubstr("unknown.Type")));
}

TEST_F(GatewayApiTest, ASlowCallEndsAtItsDeadline) {
  GatewayOptions options;
  options.call_timeout = std::chrono::milliseconds(50);
  FakeServer slow(options);
  slow.jobs.slow_ms = 4'000;
  EXPECT_EQ(Get(slow.port(), "/v1/jobs/x").status, 504);
}

TEST_F(GatewayApiTest, RequestIdsGoThroughWhereTheyAreWellFormed) {
  Reply reply = Get(port_, "/v1/jobs/01kf0sample000000000000001", "X-Request-Id: abc-1\r\n");
  EXPECT_EQ(reply.headers.at("x-request-id"), "abc-1");
  EXPECT_EQ(fake_.jobs.request_id, "abc-1");
  reply = Get(port_, "/v1/jobs/01kf0sample000000000000001", "X-Request-Id: a b\r\n");
  EXPECT_THAT(reply.headers, Not(Contains(Key("x-request-id"))));
  EXPECT_EQ(fake_.jobs.request_id, "");
}

TEST_F(GatewayApiTest, OtherMethodsAreRefusedWithAllow) {
  const Reply reply = Request(port_, "PUT", "/v1/jobs", kJson, "{}");
  EXPECT_EQ(reply.status, 405);
  EXPECT_THAT(reply.headers.at("allow"), HasSubstr("POST"));
  EXPECT_EQ(Request(port_, "POST", "/", kJson, "{}").headers.at("allow"), "GET, HEAD");
  EXPECT_EQ(Request(port_, "BREW", "/v1/jobs", kJson).status, 405);
}

TEST_F(GatewayApiTest, HeadIsGetWithoutBody) {
  for (const char* target :
       {"/healthz", kDigest, "/", "/static/style.css", "/metrics", "/v1/jobs", "/v1/none", "/none"}) {
    HttpClient client(port_);
    const std::string rest = std::string(" ") + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.Send("GET" + rest);
    const Reply get = client.Read();
    client.Send("HEAD" + rest);
    const Reply head = client.Read(/*no_body=*/true);
    EXPECT_EQ(head.status, get.status) << target;
    EXPECT_EQ(head.headers.at("content-length"), std::to_string(get.body.size())) << target;
    EXPECT_EQ(head.headers.at("content-type"), get.headers.at("content-type")) << target;
    client.Send("GET" + rest);
    EXPECT_EQ(client.Read().body, get.body) << "the connection stays usable: " << target;
  }
}

TEST_F(GatewayApiTest, PublishedDigestsMayBeKept) {
  const Reply first = Get(port_, kDigest);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.headers.at("cache-control"), "public, max-age=60");
  const std::string etag = first.headers.at("etag");
  for (const std::string& condition : {etag, "W/" + etag, "\"x\", W/" + etag, std::string("*")}) {
    const Reply reply = Get(port_, kDigest, "If-None-Match: " + condition + "\r\n");
    EXPECT_EQ(reply.status, 304) << condition;
    EXPECT_EQ(reply.headers.at("etag"), etag);
    EXPECT_THAT(reply.headers, Not(Contains(Key("content-length"))));
  }
  EXPECT_EQ(Get(port_, kDigest, "If-None-Match: \"x\"\r\n").status, 200);
  EXPECT_THAT(Get(port_, "/v1/digests/2026-01-14/editions/2").headers.at("cache-control"), HasSubstr("immutable"));
  for (const char* page : {"/", "/digests/2026-01-14", "/digests/2026-01-14/editions/2"}) {
    const Reply reply = Get(port_, page);
    EXPECT_EQ(Get(port_, page, "If-None-Match: W/" + reply.headers.at("etag") + "\r\n").status, 304) << page;
  }
}

TEST_F(GatewayApiTest, DraftsAndErrorsAreNeverKept) {
  EXPECT_EQ(Get(port_, std::string(kDigest) + "?view=DIGEST_VIEW_DRAFT").headers.at("cache-control"), "no-store");
  EXPECT_EQ(Get(port_, "/v1/digests/2026-01-01").headers.at("cache-control"), "no-store");
  EXPECT_THAT(Get(port_, "/v1/digests").headers.at("cache-control"), "no-store");
}

TEST_F(GatewayApiTest, KeptAnswersEndWithTheirGeneration) {
  Get(port_, kDigest);
  Get(port_, kDigest);
  EXPECT_EQ(fake_.digests.reads, 1);
  fake_.digests.digest.mutable_edition()->set_note("new");
  EXPECT_THAT(Get(port_, kDigest).body, Not(HasSubstr("\"note\":\"new\"")));
  ++fake_.generation;
  EXPECT_THAT(Get(port_, kDigest).body, HasSubstr("\"note\":\"new\""));
  EXPECT_EQ(fake_.digests.reads, 2);
  EXPECT_EQ(Get(port_, std::string(kDigest) + "?view=nothing").status, 400) << "a kept answer hides no mistake";
}

TEST_F(GatewayApiTest, ForeignHostsAreMisdirected) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    for (const char* target : {"/", "/v1/jobs", "/v1/jobs/x:cancel", "/metrics", "/v1/events:watch"}) {
      const Reply reply = Request(port_, method, target, std::string("Host: evil.example\r\n") + kJson);
      EXPECT_EQ(reply.status, 421) << method << target;
    }
  }
  EXPECT_EQ(fake_.jobs.writes, 0);
}

TEST_F(GatewayApiTest, PagesOfOtherOriginsCanStartNothing) {
  const std::vector<std::pair<std::string, std::string>> calls = {{"POST", "/v1/jobs"},
                                                                  {"POST", "/v1/jobs/x:cancel"},
                                                                  {"PATCH", "/v1/digests/d/entries/e"},
                                                                  {"DELETE", "/v1/digests/d/entries/e"},
                                                                  {"PUT", "/v1/jobs"},
                                                                  {"OPTIONS", "/v1/jobs"}};
  const std::string own = "Origin: http://localhost:" + std::to_string(port_) + "\r\n";
  for (const auto& [method, target] : calls) {
    for (const char* origin : {"http://evil.example", "null", "http://localhost", "http://localhost:1", "file://"}) {
      const std::string headers = std::string("Origin: ") + origin + "\r\n" + kJson;
      EXPECT_EQ(Request(port_, method, target, headers, "{}").status, 403) << method << target << origin;
    }
    for (const char* type :
         {"", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n",
          "Content-Type: multipart/form-data; boundary=x\r\n", "Content-Type: application/jsonp\r\n"}) {
      EXPECT_EQ(Request(port_, method, target, own + type, "{}").status, 415) << method << target << type;
      EXPECT_EQ(Request(port_, method, target, type, "{}").status, 415) << method << target << type;
    }
  }
  EXPECT_EQ(fake_.jobs.writes + fake_.digests.writes, 0);
  EXPECT_EQ(Request(port_, "POST", "/v1/jobs", own + "Content-Type: application/json; charset=utf-8\r\n", "{}").status,
            200);
}

TEST_F(GatewayApiTest, PagesOfOtherOriginsCanReadNothing) {
  const Reply reply = Get(port_, "/v1/jobs", "Origin: http://evil.example\r\n");
  for (const auto& [name, value] : reply.headers) EXPECT_THAT(name, Not(HasSubstr("access-control")));
  EXPECT_EQ(reply.headers.at("cross-origin-resource-policy"), "same-origin");
}

TEST_F(GatewayApiTest, EveryResponseCarriesTheSecurityHeaders) {
  for (const char* target : {"/", "/v1/jobs", "/none", "/v1/none", "/metrics", "/healthz", "/favicon.ico"}) {
    const Reply reply = Get(port_, target);
    EXPECT_THAT(reply.headers.at("content-security-policy"), HasSubstr("default-src 'self'")) << target;
    EXPECT_THAT(reply.headers.at("content-security-policy"), HasSubstr("frame-ancestors 'none'")) << target;
    EXPECT_THAT(reply.headers.at("content-security-policy"), Not(HasSubstr("unsafe"))) << target;
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff") << target;
    EXPECT_EQ(reply.headers.at("referrer-policy"), "no-referrer") << target;
  }
}

TEST_F(GatewayApiTest, ServesWhatOperatorsAskFor) {
  EXPECT_EQ(Get(port_, "/healthz").body, "ok\n");
  EXPECT_EQ(Get(port_, "/metrics").body, "benchwire_jobs 1\n");
  EXPECT_THAT(Get(port_, "/metrics").headers.at("content-type"), HasSubstr("version=0.0.4"));
  EXPECT_EQ(Get(port_, "/favicon.ico").status, 204);
  fake_.server->GetHealthCheckService()->SetServingStatus(false);
  EXPECT_EQ(Get(port_, "/healthz").status, 503);
}

}  // namespace
}  // namespace benchwire::gateway
