// Artifacts over HTTP: whole, or visibly broken off, and never anything that a browser would open as ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/gateway/download.h"
#include "tests/unit/gateway/fake_server.h"
#include "tests/unit/gateway/http_client.h"

namespace benchwire::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kPath[] = "/v1/jobs/0a/attempts/1/artifacts/1";

void SetArtifact(FakeServer& fake, const std::string& bytes) {
  fake.jobs.artifact_bytes = bytes;
  fake.jobs.artifact.set_path("out/page.html");
  fake.jobs.artifact.set_media_type("text/html");
  fake.jobs.artifact.set_size_bytes(static_cast<int64_t>(bytes.size()));
}

TEST(GatewayDownloadTest, AFileComesWholeAndAsAnAttachment) {
  FakeServer fake;
  std::string large(3'500'000, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2'654'435'761U >> 9);
  for (const std::string& bytes :
       {std::string(), std::string("<script>alert(1)</script>"), std::string(1 << 20, 'x'), large}) {
    SetArtifact(fake, bytes);
    const Reply reply = Get(fake.port(), kPath);
    EXPECT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.body == bytes) << reply.body.size();
    EXPECT_EQ(reply.headers.at("content-length"), std::to_string(bytes.size()));
    EXPECT_EQ(reply.headers.at("content-disposition"), "attachment; filename=\"page.html\"");
    EXPECT_EQ(reply.headers.at("content-type"), "text/html");
    EXPECT_THAT(reply.head, HasSubstr("Content-Security-Policy: sandbox; default-src 'none'\r\n"));
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
  }
}

TEST(GatewayDownloadTest, HeadHasTheHeadersAndNoBody) {
  FakeServer fake;
  SetArtifact(fake, "bytes");
  HttpClient client(fake.port());
  client.Send("HEAD " + std::string(kPath) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Reply reply = client.Read(/*no_body=*/true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-disposition"), "attachment; filename=\"page.html\"");
}

TEST(GatewayDownloadTest, WhatIsMissingIsAnErrorInJson) {
  FakeServer fake;
  const Reply reply = Get(fake.port(), "/v1/jobs/0a/attempts/1/artifacts/0");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  for (const char* path :
       {"/v1/jobs/0a/attempts/1/artifacts/..%2f..%2fetc%2fpasswd", "/v1/jobs/0a/attempts/1/artifacts/a%5cb"}) {
    EXPECT_EQ(Get(fake.port(), path).status, 400) << path;
  }
}

TEST(GatewayDownloadTest, AFileThatCannotBeReadToItsEndEndsShort) {
  FakeServer fake;
  SetArtifact(fake, std::string(3 << 20, 'x'));
  fake.jobs.artifact_lost_from = 1 << 20;
  HttpClient client(fake.port());
  client.Send("GET " + std::string(kPath) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Reply head = client.ReadHead();
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(3 << 20));
  EXPECT_FALSE(head.headers.contains("transfer-encoding"));
  std::string rest;
  EXPECT_TRUE(client.WaitClosed(&rest));
  EXPECT_LE(rest.size(), 1u << 20);
}

TEST(GatewayDownloadTest, FileNamesCannotBreakOutOfTheirHeader) {
  EXPECT_EQ(ContentDisposition("a/b/model.pt"), "attachment; filename=\"model.pt\"");
  EXPECT_EQ(ContentDisposition("a\"; filename=\"evil.exe"),
            "attachment; filename=\"a___filename__evil.exe\"; filename*=UTF-8''a%22%3B%20filename%3D%22evil.exe");
  const std::string chinese = ContentDisposition("数据.csv");
  EXPECT_THAT(chinese, HasSubstr("filename*=UTF-8''%E6%95%B0%E6%8D%AE.csv"));
  EXPECT_THAT(chinese, Not(HasSubstr("数")));
}

}  // namespace
}  // namespace benchwire::gateway
