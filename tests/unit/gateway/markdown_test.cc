#include "server/gateway/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/gateway/html.h"
#include "server/gateway/linkify.h"
#include "server/gateway/log_text.h"

namespace benchwire::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string LinkTo(const std::string& url) {
  return "<a href=\"" + url + "\" rel=\"noopener nofollow\">" + url + "</a>";
}

TEST(MarkdownTest, RendersWhatItKnows) {
  EXPECT_EQ(MarkdownToHtml("# T\n\n*a* **b** ~~c~~ `d<e>`\n\n> q\n\n1. x\n2. y\n"),
            "<h3>T</h3>\n<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;e&gt;</code></p>\n"
            "<blockquote>\n<p>q</p>\n</blockquote>\n<ol>\n<li>x</li>\n<li>y</li>\n</ol>\n");
  EXPECT_THAT(MarkdownToHtml("|a|b|\n|---|---:|\n|1|2|\n"), HasSubstr("<tr><td>1</td><td class=\"right\">2</td></tr>"));
  EXPECT_EQ(MarkdownToHtml("```sh\nx && y\n```\n"), "<pre><code>x &amp;&amp; y\n</code></pre>\n");
  EXPECT_EQ(MarkdownToHtml("&lt;b&gt; &#20013; &plusmn; &nothing;"), "<p>&lt;b&gt; 中 ± &amp;nothing;</p>\n");
}

TEST(MarkdownTest, ScriptsStayInert) {
  for (const char* text : {
           "<script>alert(1)</script>",
           "<img src=x onerror=alert(1)>",
           "a <b onmouseover=alert(1)>b</b>",
           "[x](javascript:alert(1))",
           "[x](JaVaScRiPt:alert(1))",
           "[x](java&#115;cript:alert(1))",
           "[x](javascript&colon;alert(1))",
           "[x](\x01javascript:alert(1))",
           "[x](data:text/html;base64,PHNjcmlwdD4=)",
           "[x](vbscript:x)",
           "![x](javascript:alert(1))",
           "<javascript:alert(1)>",
           "[x]: javascript:alert(1)\n\n[x]",
           "[x](//evil.example)",
           "[x](/v1/jobs)",
           "```<script>\nx\n```",
       }) {
    const std::string html = MarkdownToHtml(text);
    EXPECT_THAT(html, Not(HasSubstr("<script"))) << text;
    EXPECT_THAT(html, Not(HasSubstr("<img"))) << text;
    EXPECT_THAT(html, Not(HasSubstr("<b "))) << text;
    EXPECT_THAT(html, Not(HasSubstr("href="))) << text << "\n" << html;
  }
}

TEST(MarkdownTest, AttributesCannotBeLeft) {
  const std::string html = MarkdownToHtml("[x](https://e.example/\"onmouseover=alert(1)//)\n\nhttps://e.example/'x\n");
  EXPECT_THAT(html, Not(HasSubstr("\"onmouseover")));
  EXPECT_THAT(html, HasSubstr("&quot;onmouseover"));
}

TEST(MarkdownTest, ImagesBecomeLinks) {
  EXPECT_EQ(MarkdownToHtml("![a plot](https://e.example/p.png)"),
            "<p><a href=\"https://e.example/p.png\" rel=\"noopener nofollow\">a plot</a></p>\n");
  EXPECT_EQ(MarkdownToHtml("[![i](https://e.example/i)](https://e.example/l)"),
            "<p><a href=\"https://e.example/l\" rel=\"noopener nofollow\">i</a></p>\n");
}

TEST(MarkdownTest, BareAddressesEndBeforeChinesePunctuation) {
  EXPECT_EQ(MarkdownToHtml("见https://arxiv.org/abs/1802.03268。下一句"),
            "<p>见" + LinkTo("https://arxiv.org/abs/1802.03268") + "。下一句</p>\n");
  EXPECT_EQ(MarkdownToHtml("（https://example.com/a）后"), "<p>（" + LinkTo("https://example.com/a") + "）后</p>\n");
  EXPECT_EQ(MarkdownToHtml("链接：https://example.com/b，另见"),
            "<p>链接：" + LinkTo("https://example.com/b") + "，另见</p>\n");
  EXPECT_EQ(MarkdownToHtml("**见https://example.com/c。**"),
            "<p><strong>见" + LinkTo("https://example.com/c") + "。</strong></p>\n");
  EXPECT_THAT(MarkdownToHtml("|a|\n|---|\n|见https://example.com/d。|\n"),
              HasSubstr("<td>见" + LinkTo("https://example.com/d") + "。</td>"));
}

TEST(MarkdownTest, BareAddressesEndBeforeAsciiPunctuation) {
  EXPECT_EQ(Linkify("(see http://e.example/a_(b).)"), "(see " + LinkTo("http://e.example/a_(b)") + ".)");
  EXPECT_EQ(
      Linkify("https://e.example/?a=1&b=2, x"),
      "<a href=\"https://e.example/?a=1&amp;b=2\" rel=\"noopener nofollow\">https://e.example/?a=1&amp;b=2</a>, x");
  EXPECT_EQ(Linkify("xhttp://e.example http:// https://。"), "xhttp://e.example http:// https://。");
  EXPECT_EQ(MarkdownToHtml("`https://e.example`"), "<p><code>https://e.example</code></p>\n");
}

TEST(MarkdownTest, HardWrappedChineseJoinsWithoutASpace) {
  EXPECT_EQ(MarkdownToHtml("中文句子\n继续"), "<p>中文句子继续</p>\n");
  EXPECT_EQ(MarkdownToHtml("中文，\n继续"), "<p>中文，继续</p>\n");
  EXPECT_EQ(MarkdownToHtml("**中文**\n继续"), "<p><strong>中文</strong>继续</p>\n");
  EXPECT_EQ(MarkdownToHtml("中文\n[链接](https://e.example)"),
            "<p>中文<a href=\"https://e.example\" rel=\"noopener nofollow\">链接</a></p>\n");
}

TEST(MarkdownTest, OtherLineBreaksAreSpaces) {
  EXPECT_EQ(MarkdownToHtml("one\ntwo"), "<p>one\ntwo</p>\n");
  EXPECT_EQ(MarkdownToHtml("中文\nEnglish"), "<p>中文\nEnglish</p>\n");
  EXPECT_EQ(MarkdownToHtml("English\n中文"), "<p>English\n中文</p>\n");
  EXPECT_EQ(MarkdownToHtml("word\n`code`"), "<p>word\n<code>code</code></p>\n");
  EXPECT_EQ(MarkdownToHtml("中文\n`代码`\n中文"), "<p>中文\n<code>代码</code>\n中文</p>\n");
  EXPECT_EQ(MarkdownToHtml("word\n[link](https://e.example)"),
            "<p>word\n<a href=\"https://e.example\" rel=\"noopener nofollow\">link</a></p>\n");
  EXPECT_EQ(MarkdownToHtml("한국어\n문장"), "<p>한국어\n문장</p>\n");
}

TEST(MarkdownTest, ASmallTextCannotAskForGigabytes) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "|a";
  text += "\n";
  for (int i = 0; i < 2'000; ++i) text += "|---";
  text += "\n";
  for (int i = 0; i < 80'000; ++i) text += "|x\n";
  EXPECT_EQ(MarkdownToHtml(text), "<pre>" + text + "</pre>\n");
}

TEST(MarkdownTest, BadBytesAreReplaced) {
  EXPECT_EQ(MarkdownToHtml(std::string("a\xff\xc0\xaf z", 6)), "<p>a\uFFFD\uFFFD\uFFFD z</p>\n");
  EXPECT_EQ(MarkdownToHtml(std::string("a\0b", 3)), "<p>a\uFFFDb</p>\n");
}

TEST(HtmlTest, InternalLinksStayInside) {
  EXPECT_EQ(Link("/jobs/x", "x", true), "<a href=\"/jobs/x\">x</a>");
  EXPECT_EQ(Link("//evil.example", "x", true), "x");
  EXPECT_EQ(Link("/\\evil.example", "x", true), "x");
  EXPECT_EQ(Link("javascript:alert(1)", "<x>", false), "&lt;x&gt;");
}

TEST(LogTextTest, ShowsWhatATerminalWouldHaveLeft) {
  EXPECT_EQ(LogToText("\x1b[1;32mok\x1b[0m\n10 %\r20 %\rdone\r\nx\x1b]0;title\x07y\x07\n\xff"), "ok\ndone\nxy\n\uFFFD");
  EXPECT_EQ(LogToText("cut \x1b[3"), "cut ");
}

}  // namespace
}  // namespace benchwire::gateway
