// Pages over real sockets: what a reader must find on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/gateway/fake_server.h"
#include "tests/unit/gateway/http_client.h"

namespace benchwire::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

class GatewayPageTest : public testing::Test {
 protected:
  std::string Page(const std::string& target, int status = 200) {
    const Reply reply = Get(fake_.port(), target);
    EXPECT_EQ(reply.status, status) << target;
    EXPECT_EQ(reply.headers.at("content-type"), "text/html; charset=utf-8") << target;
    EXPECT_THAT(reply.body, Not(HasSubstr("style=\""))) << "inline styles would be blocked";
    EXPECT_THAT(reply.body, Not(HasSubstr("<script>")));
    return reply.body;
  }
  FakeServer fake_;
};

TEST_F(GatewayPageTest, TheFirstPageIsTheNewestPublishedDigest) {
  const std::string page = Page("/");
  for (const char* text : {
           "<time datetime=\"2026-01-14\">2026-01-14</time>",
           "带宽的账，一笔一笔算",
           "Counting bandwidth, copy by copy",
           "Corrected the driver version",
           "2026-01-14 09:00 UTC",
           "Supported 成立",
           "Refuted 不成立",
           "Inconclusive 无定论",
           "Untested 未检验",
           "<strong>24.31</strong>",
           "± 0.12",
           "GB/s",
           "95.86 % interval 24.20 – 24.43 GB/s · n = 20 · median",
           "&gt; 20 GB/s",
           "1.873",
           "TOO_FEW_SAMPLES",
           "440 GB/s – 460 GB/s",
           "NVIDIA H100",
           "benchwire rerun --here spec-4f2a.json --seed 42",
           "href=\"/jobs/01kf0sample000000000000001\"",
           "href=\"/v1/jobs/01kf0sample000000000000001\"",
           "href=\"https://example.com/blog/p2p\" rel=\"noopener nofollow\">https://example.com/blog/p2p</a>。",
           "昨日：显存带宽",
           "href=\"/digests/2026-01-13\"",
           "id=\"running\"",
       }) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("A draft")));
}

TEST_F(GatewayPageTest, AReaderMayChooseALanguage) {
  const std::string zh = Page("/digests/2026-01-14?lang=zh");
  EXPECT_THAT(zh, HasSubstr("<html lang=\"zh\">"));
  EXPECT_THAT(zh, HasSubstr("单向拷贝超过 20 GB/s。"));
  EXPECT_THAT(zh, Not(HasSubstr("A one-way copy exceeds")));
  EXPECT_THAT(zh, HasSubstr("NVLink 4 reaches")) << "a text that exists in one language only is shown";
  const std::string en = Page("/digests/2026-01-14?lang=en");
  EXPECT_THAT(en, HasSubstr("A one-way copy exceeds"));
  EXPECT_THAT(en, Not(HasSubstr("单向拷贝超过")));
}

TEST_F(GatewayPageTest, EditionsHaveTheirPage) {
  EXPECT_THAT(Page("/digests/2026-01-14/editions/2"), HasSubstr("href=\"/digests/2026-01-14\""));
}

TEST_F(GatewayPageTest, AJobShowsStateMeasurementsAttemptsAndLog) {
  const std::string page = Page("/jobs/01kf0sample000000000000001");
  for (const char* text :
       {"P2P bandwidth, H100", "succeeded", "bw.unidir.write", "dst=gpu:1 src=gpu:0", "24.31", "waived", "SINGLE_GPU",
        "workers/h100-a", "gpu:GPU-5c2f", "6.1.0-28-amd64", "start\nok &lt;script&gt;alert(1)&lt;/script&gt;"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, HasSubstr("data-live=\"\"")) << "an ended job changes no more";
  EXPECT_EQ(Get(fake_.port(), "/jobs/01kf0sample000000000000001").headers.at("cache-control"), "no-store");
}

TEST_F(GatewayPageTest, TheListOfJobsLinksToThem) {
  const std::string page = Page("/jobs");
  EXPECT_THAT(page, HasSubstr("href=\"/jobs/01kf2running0000000000000a\">P2P 带宽，夜间</a>"));
  EXPECT_THAT(page, HasSubstr("42 % bw.unidir.write"));
  Page("/jobs?pageToken=abc&lang=zh");
  EXPECT_EQ(fake_.jobs.listed.page_token(), "abc");
}

TEST_F(GatewayPageTest, HostileTextStaysText) {
  const std::string evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
  v1::Edition& edition = *fake_.digests.digest.mutable_edition();
  edition.set_note(evil);
  v1::Entry& entry = *edition.mutable_entries(0);
  entry.mutable_title()->set_en(evil);
  entry.set_category(evil);
  entry.add_tags(evil);
  entry.add_authors(evil);
  entry.mutable_body()->set_en(evil + "\n\n" + evil);
  entry.add_sources()->set_uri("javascript:alert(1)");
  v1::Claim& claim = *entry.mutable_claims(0);
  claim.set_id(evil);
  claim.mutable_text()->set_en(evil);
  claim.mutable_condition()->set_unit(evil);
  claim.mutable_evaluation()->set_hardware(evil);
  claim.mutable_evaluation()->set_rerun_command(evil);
  claim.mutable_evaluation()->set_spec_path("//evil.example/x");
  claim.mutable_evaluation()->set_reason(evil);
  claim.mutable_evaluation()->set_unit(evil);
  (*claim.mutable_evaluation()->mutable_environment())[evil] = evil;
  const std::string page = Page("/");
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("javascript:alert(1)\"")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"//evil")));
}

TEST_F(GatewayPageTest, MissingPagesAreFriendly) {
  EXPECT_THAT(Page("/nothing", 404), HasSubstr("There is nothing here"));
  EXPECT_THAT(Page("/digests/2026-02-02?lang=zh", 404), HasSubstr("这里没有内容"));
  EXPECT_THAT(Page("/jobs/none", 404), HasSubstr("404"));
  EXPECT_THAT(Page("/digests/%ff", 404), HasSubstr("404"));
  EXPECT_THAT(Page("/digests/<script>x", 404), HasSubstr("404"));
}

TEST_F(GatewayPageTest, ARandomQueryMakesNoNewPage) {
  Page("/digests/2026-01-14");
  const int reads = fake_.digests.reads;
  for (const char* query : {"?x=1", "?utm_source=a", "?lang=xx", "?"}) Page(std::string("/digests/2026-01-14") + query);
  EXPECT_EQ(fake_.digests.reads, reads);
}

TEST_F(GatewayPageTest, StaticFilesAreServedWithTheirType) {
  EXPECT_THAT(Get(fake_.port(), "/static/style.css").headers.at("content-type"), HasSubstr("text/css"));
  EXPECT_THAT(Get(fake_.port(), "/static/app.js").headers.at("content-type"), HasSubstr("text/javascript"));
  EXPECT_THAT(Get(fake_.port(), "/static/app.js").body, HasSubstr("EventSource"));
  EXPECT_THAT(Get(fake_.port(), "/static/app.js").body, Not(HasSubstr("innerHTML")));
  EXPECT_EQ(Get(fake_.port(), "/static/../gateway.cc").status, 404);
}

}  // namespace
}  // namespace benchwire::gateway
