// The small pure pieces: entity tags, cache, request heads, safety.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/gateway/conditional.h"
#include "server/gateway/http_head_check.h"
#include "server/gateway/response_cache.h"
#include "server/gateway/safety.h"

namespace benchwire::gateway {
namespace {

TEST(ConditionalTest, ComparesWeaklyAndReadsLists) {
  const std::string etag = "\"abc\"";
  for (const char* value : {"\"abc\"", "W/\"abc\"", "\"x\", W/\"abc\"", "*", "\"a,b\",\"abc\""}) {
    EXPECT_TRUE(MatchesEtag(value, etag)) << value;
  }
  for (const char* value : {"", "abc", "\"ab\"", "\"abcd\"", "\"abc", "\"x,\"abc\""}) {
    EXPECT_FALSE(MatchesEtag(value, etag)) << value;
  }
}

TEST(ResponseCacheTest, KeepsAnAnswerForOneGeneration) {
  ResponseCache cache(1 << 20);
  const PublicAnswer answer = MakePublicAnswer("body", "text/plain", kCacheShortly);
  cache.Put("/a", 1, answer);
  EXPECT_EQ(cache.Get("/a", 1)->etag, answer.etag);
  EXPECT_FALSE(cache.Get("/b", 1));
  EXPECT_FALSE(cache.Get("/a", 2));
  EXPECT_FALSE(cache.Get("/a", 1)) << "an answer of another generation is dropped";
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(ResponseCacheTest, TheLeastRecentlyUsedGoesFirst) {
  ResponseCache cache(10'000);
  const PublicAnswer answer = MakePublicAnswer(std::string(2'000, 'x'), "text/plain", kCacheShortly);
  for (const char* target : {"/1", "/2", "/3", "/4"}) cache.Put(target, 1, answer);
  EXPECT_TRUE(cache.Get("/1", 1));
  cache.Put("/5", 1, answer);
  EXPECT_TRUE(cache.Get("/1", 1));
  EXPECT_FALSE(cache.Get("/2", 1));
  EXPECT_LE(cache.bytes(), 10'000U);
  cache.Put("/big", 1, MakePublicAnswer(std::string(5'000, 'x'), "text/plain", kCacheShortly));
  EXPECT_FALSE(cache.Get("/big", 1));
  cache.Put("/5", 1, answer);
  EXPECT_LE(cache.bytes(), 10'000U);
}

TEST(HeadCheckTest, TakesOrdinaryHeads) {
  EXPECT_EQ(CheckHead("GET / HTTP/1.1\r\nHost: a\r\nX: b\tc\r\n\r\n"), "");
  EXPECT_EQ(CheckHead("GET /a?b=%20 HTTP/1.0\r\n\r\n"), "");
  EXPECT_EQ(CheckHead("POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n"), "");
}

TEST(HeadCheckTest, RefusesWhatTwoParsersCouldReadDifferently) {
  for (const std::string head : {
           "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length: 0x1\r\n\r\n",
           "GET / HTTP/1.1\r\nContent-Length:\r\n\r\n",
           "GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           "GET / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
           "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
           "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
           "GET / HTTP/1.1\r\n: a\r\n\r\n",
           "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
           "GET / HTTP/1.1\nHost: a\r\n\r\n",
           "GET / HTTP/1.1\r\nX: a\nY: b\r\n\r\n",
           "GET / HTTP/1.1\r\nX: a\rY: b\r\n\r\n",
           "GET / HTTP/1.1\r\nX: a\x01\r\n\r\n",
           "GET / HTTP/2.0\r\n\r\n",
           "GET / http/1.1\r\n\r\n",
           "GET /\r\n\r\n",
           "GET  HTTP/1.1\r\n\r\n",
           "GET http://a/ HTTP/1.1\r\n\r\n",
           "OPTIONS * HTTP/1.1\r\n\r\n",
           "CONNECT a:443 HTTP/1.1\r\n\r\n",
           "GET /a b HTTP/1.1\r\n\r\n",
           "GET /\xe4 HTTP/1.1\r\n\r\n",
           "GET /#x HTTP/1.1\r\n\r\n",
           "G(T / HTTP/1.1\r\n\r\n",
       }) {
    EXPECT_NE(CheckHead(head), "") << head;
  }
  EXPECT_NE(CheckHead(std::string("GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", 26)), "");
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many += "X: a\r\n";
  EXPECT_NE(CheckHead(many + "\r\n"), "");
}

TEST(SafetyTest, HostsAreComparedWithoutPort) {
  HttpRequest request;
  request.method = "GET";
  const auto status = [&request](const std::string& host) {
    request.headers = {{"host", host}};
    const auto refusal = CheckSafety(request, {"bench.example"});
    return refusal ? refusal->status : 200;
  };
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:7480", "[::1]:7480", "[::1]", "bench.example:8080"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "evil.example:7480", "127.0.0.1.evil.example",
                           "[::2]", "localhost:1:2", "localhost@evil.example"}) {
    EXPECT_EQ(status(host), 421) << host;
  }
  EXPECT_EQ(status(""), 400);
  request.headers.clear();
  EXPECT_EQ(CheckSafety(request, {})->status, 400);
}

TEST(SafetyTest, RequestIdsAreChecked) {
  EXPECT_TRUE(IsRequestId("a-B_9"));
  EXPECT_FALSE(IsRequestId(""));
  EXPECT_FALSE(IsRequestId("a b"));
  EXPECT_FALSE(IsRequestId(std::string(65, 'a')));
}

}  // namespace
}  // namespace benchwire::gateway
