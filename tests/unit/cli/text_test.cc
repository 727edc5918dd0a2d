#include "clients/cli/text.h"

#include <gtest/gtest.h>

namespace benchwire::cli {
namespace {

TEST(DisplayWidth, CountsCellsNotCodePoints) {
  EXPECT_EQ(DisplayWidth("bandwidth"), 9);
  EXPECT_EQ(DisplayWidth("带宽"), 4);
  EXPECT_EQ(DisplayWidth("ＡＢＣ"), 6);   // Full-width Latin.
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);  // e and a combining acute accent.
  EXPECT_EQ(DisplayWidth("한국"), 4);
  EXPECT_EQ(DisplayWidth("\u1112\u1161\u11ab"), 2);  // The same syllable from conjoining jamo.
  EXPECT_EQ(DisplayWidth("🚀"), 2);
  EXPECT_EQ(DisplayWidth("❤\ufe0f"), 2);        // Narrow sign, shown as emoji.
  EXPECT_EQ(DisplayWidth("👩\u200d🔬"), 2);       // Joined by a zero width joiner.
  EXPECT_EQ(DisplayWidth("👍🏽"), 2);       // With a skin tone.
  EXPECT_EQ(DisplayWidth("🇨🇳"), 2);             // A flag of two letters.
  EXPECT_EQ(DisplayWidth("1\ufe0f\u20e3"), 2);  // Keycap.
  EXPECT_EQ(DisplayWidth("a\u200bb"), 2);       // Zero width space.
  EXPECT_EQ(DisplayWidth(""), 0);
}

TEST(CutToWidth, CutsBetweenCharacters) {
  EXPECT_EQ(CutToWidth("带宽测试", 8), "带宽测试");
  EXPECT_EQ(CutToWidth("带宽测试", 7), "带宽测…");
  // A wide character does not fit into the one cell left: 5 cells, not 6.
  EXPECT_EQ(CutToWidth("带宽测试", 6), "带宽…");
  EXPECT_EQ(CutToWidth("e\u0301e\u0301e\u0301", 2), "e\u0301…");
  EXPECT_EQ(CutToWidth("👩\u200d🔬👩\u200d🔬", 3), "👩\u200d🔬…");
  EXPECT_EQ(CutToWidth("abc", 1), "…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(PadTo, PadsByCells) {
  EXPECT_EQ(PadTo("带宽", 6, false), "带宽  ");
  EXPECT_EQ(PadTo("带宽", 6, true), "  带宽");
  EXPECT_EQ(PadTo("toolong", 3, true), "toolong");
}

TEST(OneLine, NothingReachesTheTerminalRaw) {
  EXPECT_EQ(OneLine("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(OneLine("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(OneLine(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(OneLine("\u009b31m"), "\\x9b31m");              // One-byte CSI as UTF-8.
  EXPECT_EQ(OneLine("\u202egpj.exe"), "\\u{202e}gpj.exe");  // Right-to-left override.
  EXPECT_EQ(OneLine("x\xff\xfey"), "x\ufffd\ufffdy");
  EXPECT_EQ(OneLine("卡间带宽 ok"), "卡间带宽 ok");
}

TEST(ManyLines, KeepsLinesAndNothingElse) { EXPECT_EQ(ManyLines("a\r\nb\tc\x1b"), "a\nb    c\\x1b"); }

TEST(WrapTo, BreaksAtSpacesAndBetweenWideCharacters) {
  EXPECT_EQ(WrapTo("one two three", 8, ""), "one two\nthree");
  EXPECT_EQ(WrapTo("一二三四五六", 8, ""), "一二三四\n五六");
  EXPECT_EQ(WrapTo("一二三四。五", 8, ""), "一二三\n四。五");  // The full stop does not begin a line.
  EXPECT_EQ(WrapTo("a\n\nb", 8, "  "), "  a\n\n  b");
  EXPECT_EQ(WrapTo("https://example.com/x", 8, ""), "https://example.com/x");
  EXPECT_EQ(WrapTo("no limit at all", 0, "> "), "> no limit at all");
}

}  // namespace
}  // namespace benchwire::cli
