// Server-sent events and stopping, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/gateway/fake_server.h"
#include "tests/unit/gateway/http_client.h"

namespace benchwire::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string WatchRequest(const std::string& query = "", const std::string& headers = "",
                         const std::string& version = "1.1") {
  return "GET /v1/events:watch" + query + " HTTP/" + version + "\r\nHost: localhost\r\n" + headers + "\r\n";
}

// Waits until `done`, at most 5 s.
template <typename Condition>
bool Eventually(Condition done) {
  for (int i = 0; i < 1000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(GatewayStreamTest, EventsCarryTheirRevision) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send(WatchRequest("?afterRevision=0", "Accept-Encoding: gzip\r\n"));
  Reply head = client.ReadHead();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers["content-type"], "text/event-stream");
  EXPECT_EQ(head.headers["cache-control"], "no-cache, no-transform");
  EXPECT_EQ(head.headers["x-accel-buffering"], "no");
  EXPECT_EQ(head.headers["transfer-encoding"], "chunked");
  EXPECT_EQ(head.headers.count("content-encoding"), 0U);
  const std::string events = client.ReadUntil("id: 3\ndata: ");
  EXPECT_THAT(
      events,
      HasSubstr("id: 1\ndata: {\"revision\":\"1\",\"type\":\"EVENT_TYPE_UPDATED\",\"resource\":\"jobs/x\"}\n\n"));
  fake.events.newest = 4;
  EXPECT_THAT(client.ReadUntil("id: 4\n"), Not(StartsWith("id: 1")));
}

TEST(GatewayStreamTest, AReaderResumesBehindItsLastEvent) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send(WatchRequest("?afterRevision=0", "Last-Event-ID: 2\r\n"));
  const std::string events = client.ReadUntil("id: 3\n");
  EXPECT_NE(events, "");
  EXPECT_THAT(events, Not(HasSubstr("id: 2\n")));
}

TEST(GatewayStreamTest, TheHeadComesBeforeTheFirstEvent) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send(WatchRequest());
  EXPECT_EQ(client.ReadHead().status, 200);
  EXPECT_THAT(client.ReadUntil(": connected\n\n"), HasSubstr("retry: "));
}

TEST(GatewayStreamTest, WorksForHttp10WithoutChunks) {
  FakeServer fake;
  fake.events.ends = true;
  HttpClient client(fake.port());
  client.Send(WatchRequest("?afterRevision=1", "", "1.0"));
  Reply head = client.ReadHead();
  EXPECT_EQ(head.headers.count("transfer-encoding"), 0U);
  EXPECT_EQ(head.headers["connection"], "close");
  std::string body;
  EXPECT_TRUE(client.WaitClosed(&body));
  EXPECT_THAT(body, HasSubstr("\n\nid: 2\ndata: {"));
  EXPECT_THAT(body, testing::EndsWith("}\n\n"));
}

TEST(GatewayStreamTest, AnEndedStreamEndsItsChunks) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send("GET /v1/jobs/x/attempts/1/log:watch HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string body;
  EXPECT_EQ(client.ReadHead().status, 200);
  EXPECT_TRUE(client.WaitClosed(&body));
  EXPECT_THAT(body, HasSubstr("\"nextOffset\":\"48\""));
  EXPECT_THAT(body, Not(HasSubstr("id:")));
  EXPECT_THAT(body, testing::EndsWith("\r\n0\r\n\r\n"));
}

TEST(GatewayStreamTest, ErrorsBeforeTheFirstEventAreHttpErrors) {
  FakeServer fake;
  const Reply reply = Get(fake.port(), "/v1/events:watch?afterRevision=-1");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("after_revision is negative"));
  EXPECT_EQ(Get(fake.port(), "/v1/events:watch?afterRevision=x").status, 400);
  EXPECT_EQ(Get(fake.port(), "/v1/events:watch", "Last-Event-ID: x\r\n").status, 400);
}

TEST(GatewayStreamTest, LaterErrorsAreEvents) {
  FakeServer fake;
  fake.events.ends = true;
  fake.events.end = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too slow");
  HttpClient client(fake.port());
  client.Send(WatchRequest("?afterRevision=2"));
  EXPECT_EQ(client.ReadHead().status, 200);
  std::string body;
  EXPECT_TRUE(client.WaitClosed(&body));
  EXPECT_THAT(body, HasSubstr("id: 3\n"));
  EXPECT_THAT(body, HasSubstr("event: error\ndata: {\"code\":8,\"message\":\"too slow\"}\n\n"));
}

TEST(GatewayStreamTest, HeadOfAStreamOpensNone) {
  FakeServer fake;
  HttpClient client(fake.port());
  client.Send("HEAD /v1/events:watch HTTP/1.1\r\nHost: localhost\r\n\r\n");
  Reply head = client.Read(/*no_body=*/true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers["content-type"], "text/event-stream");
  client.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.Read().status, 200);
}

TEST(GatewayStreamTest, HeartbeatsKeepAQuietStreamAlive) {
  GatewayOptions options;
  options.heartbeat = std::chrono::seconds(1);
  FakeServer fake(options);
  HttpClient client(fake.port());
  client.Send(WatchRequest());
  EXPECT_NE(client.ReadUntil(": alive\n\n"), "");
  EXPECT_NE(client.ReadUntil(": alive\n\n"), "");
}

TEST(GatewayStreamTest, AReaderThatLeavesEndsItsCall) {
  FakeServer fake;
  {
    HttpClient client(fake.port());
    client.Send(WatchRequest("?afterRevision=0"));
    EXPECT_NE(client.ReadUntil("id: 3\n"), "");
  }
  EXPECT_TRUE(Eventually([&fake] { return fake.events.cancelled == 1; }));
}

TEST(GatewayStreamTest, ASlowReaderHoldsItsStreamBackAndIsLetGo) {
  GatewayOptions options;
  options.request_timeout = std::chrono::seconds(1);
  FakeServer fake(options);
  fake.jobs.chunks = 2'000;
  fake.jobs.chunk_bytes = 64 << 10;
  HttpClient client(fake.port());
  client.Send("GET /v1/jobs/x/attempts/1/log:watch HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(Get(fake.port(), "/healthz").status, 200) << "others are served";
  int sent = -1;
  EXPECT_TRUE(
      Eventually([&] { return std::exchange(sent, fake.jobs.chunks_sent) == fake.jobs.chunks_sent && sent > 0; }));
  EXPECT_LT(fake.jobs.chunks_sent, 1'000) << "what is not read is not asked for";
  EXPECT_TRUE(client.WaitClosed());
}

TEST(GatewayStreamTest, StreamsHaveALimit) {
  GatewayOptions options;
  options.max_event_streams = 2;
  FakeServer fake(options);
  auto first = std::make_unique<HttpClient>(fake.port());
  HttpClient second(fake.port());
  first->Send(WatchRequest());
  second.Send(WatchRequest());
  EXPECT_EQ(first->ReadHead().status, 200);
  EXPECT_EQ(second.ReadHead().status, 200);
  const Reply third = Get(fake.port(), "/v1/events:watch");
  EXPECT_EQ(third.status, 503);
  EXPECT_THAT(third.body, HasSubstr("TOO_MANY_STREAMS"));
  EXPECT_EQ(third.headers.at("retry-after"), "5");
  first = nullptr;
  EXPECT_TRUE(Eventually([&fake] { return fake.events.cancelled == 1; }));
  HttpClient again(fake.port());
  again.Send(WatchRequest());
  EXPECT_EQ(again.ReadHead().status, 200);
}

TEST(GatewayStreamTest, StopEndsStreamsAndFinishesRequests) {
  FakeServer fake;
  fake.jobs.slow_ms = 300;
  HttpClient stream(fake.port());
  HttpClient request(fake.port());
  HttpClient idle(fake.port());
  stream.Send(WatchRequest("?afterRevision=0"));
  EXPECT_NE(stream.ReadUntil("id: 3\n"), "");
  request.Send("GET /v1/jobs/01kf0sample000000000000001 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int port = fake.port();
  std::thread stopper([&fake] { fake.gateway->Stop(); });
  std::string rest;
  EXPECT_TRUE(stream.WaitClosed(&rest));
  EXPECT_THAT(rest, HasSubstr("event: error\ndata: {\"code\":14"));
  const Reply reply = request.Read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("connection"), "close");
  EXPECT_TRUE(idle.WaitClosed());
  stopper.join();
  EXPECT_EQ(port, fake.port());
}

TEST(GatewayStreamTest, StopCancelsWhatOutlastsTheGrace) {
  GatewayOptions options;
  options.stop_grace = std::chrono::milliseconds(100);
  FakeServer fake(options);
  fake.jobs.slow_ms = 60'000;
  HttpClient request(fake.port());
  request.Send("GET /v1/jobs/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fake.gateway->Stop();
  EXPECT_TRUE(request.WaitClosed());
}

}  // namespace
}  // namespace benchwire::gateway
