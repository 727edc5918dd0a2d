// What the HTTP server does with clients that are not well-behaved, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/gateway/fake_server.h"
#include "tests/unit/gateway/http_client.h"

namespace benchwire::gateway {
namespace {

using testing::HasSubstr;

constexpr char kHealth[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr char kPost[] = "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

TEST(GatewayHttpTest, PipelinedRequestsAreAnsweredInOrder) {
  FakeServer fake;
  fake.jobs.slow_ms = 30;
  HttpClient client(fake.port());
  client.Send("GET /v1/jobs/x HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(kHealth) +
              "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.Read().status, 404);
  EXPECT_EQ(client.Read().body, "ok\n");
  EXPECT_EQ(client.Read().body, "benchwire_jobs 1\n");
}

TEST(GatewayHttpTest, ARequestMayComeInPieces) {
  FakeServer fake;
  HttpClient client(fake.port());
  for (const char c : std::string(kHealth)) client.Send(std::string(1, c));
  EXPECT_EQ(client.Read().status, 200);
}

TEST(GatewayHttpTest, KeepsConnectionsAsTheProtocolSays) {
  FakeServer fake;
  HttpClient close(fake.port());
  close.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(close.Read().headers.at("connection"), "close");
  close.ShutdownSend();
  EXPECT_TRUE(close.WaitClosed());
  HttpClient old(fake.port());
  old.Send("GET /healthz HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(old.Read().headers.at("connection"), "keep-alive");
  old.Send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(old.Read().headers.at("connection"), "close");
}

TEST(GatewayHttpTest, AmbiguousRequestsAreRefusedAndTheConnectionEnds) {
  FakeServer fake;
  const std::string smuggled = "0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& request : {
           std::string(kPost) + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + smuggled,
           std::string(kPost) + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: identity\r\n\r\n" + smuggled,
           std::string(kPost) +
               "Transfer-Encoding:\x0b"
               "chunked\r\n\r\n" +
               smuggled,
           std::string(kPost) + "X: a\r\n Content-Length: 4\r\n\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n" + smuggled,
           std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx" + smuggled,
           std::string("\x16\x03\x01\x02\r\n\r\n"),
           std::string("GET / HTTP/1.1\nHost: localhost\n\r\n\r\n"),
       }) {
    HttpClient client(fake.port());
    client.Send(request);
    const Reply reply = client.Read();
    EXPECT_TRUE(reply.status == 400 || reply.status == 413) << request << reply.head;
    client.ShutdownSend();
    std::string rest;
    EXPECT_TRUE(client.WaitClosed(&rest));
    EXPECT_EQ(rest, "") << "nothing behind a bad request is answered: " << request;
  }
  EXPECT_EQ(fake.jobs.writes, 0);
}

TEST(GatewayHttpTest, ChunkedBodiesAreRead) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send(
      std::string(kPost) +
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\nE;x=y\r\ndisplayName\":\"\r\n3\r\nab\"\r\n1\r\n}\r\n0\r\n\r\n");
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(fake.jobs.created.job().display_name(), "ab");
  client.Send(kHealth);
  EXPECT_EQ(client.Read().status, 200);
}

TEST(GatewayHttpTest, ContinuesAClientThatWaits) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send(std::string(kPost) + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadHead().status, 100);
  client.Send("{}");
  EXPECT_EQ(client.Read().status, 200);
}

TEST(GatewayHttpTest, LargeHeadsAndBodiesAreRefused) {
  FakeServer fake;
  HttpClient head(fake.port());
  head.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n");
  EXPECT_EQ(head.Read().status, 431);
  HttpClient announced(fake.port());
  announced.Send(std::string(kPost) + "Content-Length: 8388609\r\n\r\n");
  const Reply reply = announced.Read();
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("8388608"));
  HttpClient chunked(fake.port());
  chunked.Send(std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n900000\r\n" + std::string(0x900000, ' '));
  EXPECT_EQ(chunked.Read().status, 413);
  const std::string body = R"({"displayName":")" + std::string(1 << 20, 'a') + "\"}";
  EXPECT_EQ(Request(fake.port(), "POST", "/v1/jobs", "Content-Type: application/json\r\n", body).status, 200);
}

TEST(GatewayHttpTest, SlowRequestsAndIdleConnectionsAreClosed) {
  GatewayOptions options;
  options.idle_timeout = std::chrono::seconds(1);
  options.request_timeout = std::chrono::seconds(1);
  FakeServer fake(options);
  HttpClient idle(fake.port());
  HttpClient slow(fake.port());
  slow.Send("GET / HT");
  HttpClient body(fake.port());
  body.Send(std::string(kPost) + "Content-Length: 10\r\n\r\n{");
  EXPECT_TRUE(idle.WaitClosed());
  EXPECT_TRUE(slow.WaitClosed());
  EXPECT_TRUE(body.WaitClosed());
  EXPECT_EQ(fake.jobs.writes, 0);
}

TEST(GatewayHttpTest, ConnectionsHaveALimit) {
  GatewayOptions options;
  options.max_connections = 2;
  FakeServer fake(options);
  HttpClient first(fake.port());
  HttpClient second(fake.port());
  first.Send(kHealth);
  EXPECT_EQ(first.Read().status, 200);
  second.Send(kHealth);
  EXPECT_EQ(second.Read().status, 200);
  HttpClient third(fake.port());
  const Reply reply = third.Read();
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("as many connections"));
  first.Send(kHealth);
  EXPECT_EQ(first.Read().status, 200) << "those that are in stay in";
}

TEST(GatewayHttpTest, AClientThatLeavesHurtsNobody) {
  FakeServer fake;
  fake.jobs.slow_ms = 20;
  for (int i = 0; i < 20; ++i) {
    HttpClient client(fake.port());
    client.Send("GET /v1/jobs/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_EQ(Get(fake.port(), "/healthz").status, 200);
}

TEST(GatewayHttpTest, ManyClientsAtOnce) {
  FakeServer fake;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      HttpClient client(fake.port());
      for (int k = 0; k < 50; ++k) {
        client.Send("GET /v1/jobs/01kf0sample000000000000001 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        good += client.Read().status == 200 ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
}

TEST(GatewayHttpTest, BadAddressesAreErrors) {
  FakeServer fake;
  GatewayOptions options;
  GatewayDeps deps;
  deps.channel = fake.server->InProcessChannel({});
  deps.metrics_text = [] { return std::string(); };
  deps.publication_generation = [] { return int64_t{0}; };
  options.address = "nowhere";
  EXPECT_EQ(Gateway::Start(options, deps).status().code(), absl::StatusCode::kInvalidArgument);
  options.address = "127.0.0.1";
  options.port = fake.port();
  const absl::Status taken = Gateway::Start(options, deps).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(taken.message()), HasSubstr(std::to_string(fake.port())));
}

}  // namespace
}  // namespace benchwire::gateway
