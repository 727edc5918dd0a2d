#include "clients/cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "clients/cli/text.h"

namespace benchwire::cli {
namespace {

Table Sample() {
  Table table({{"JOB"}, {"NAME", false, true}, {"N", true}});
  table.Add({"a1", "nightly copy", "3"});
  table.Add({Cell("b2", "jobs/b2"), "卡间带宽 🚀", "12"});
  table.Add({"c3", "ＡＢＣ e\u0301", "7"});
  return table;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(Table, ColumnsAlignByDisplayWidth) {
  const auto lines = Lines(Sample().Render(80));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "JOB  NAME           N");
  EXPECT_EQ(lines[1], "a1   nightly copy   3");
  EXPECT_EQ(lines[2], "b2   卡间带宽 🚀   12");
  // The last column is right-aligned, so every line ends at the same cell.
  for (const std::string& line : lines) EXPECT_EQ(DisplayWidth(line), DisplayWidth(lines[0])) << line;
}

class TableWidths : public testing::TestWithParam<int> {};

TEST_P(TableWidths, NoLineIsWiderThanTheTerminal) {
  Table table({{"JOB"}, {"NAME", false, true}, {"REASON", false, true}, {"N", true}});
  table.Add(
      {"0123456789abcdefghijklmnop", std::string(300, 'x'), "卡间带宽测试卡间带宽测试卡间带宽测试卡间带宽测试", "1"});
  table.Add({"b2", "👩\u200d🔬👩\u200d🔬👩\u200d🔬", "因为", "22"});
  for (const std::string& line : Lines(table.Render(GetParam()))) EXPECT_LE(DisplayWidth(line), GetParam()) << line;
}

INSTANTIATE_TEST_SUITE_P(Terminals, TableWidths, testing::Values(10, 40, 80, 200));

TEST(Table, FlexibleColumnsAreCutFirst) {
  const auto lines = Lines(Sample().Render(18));
  EXPECT_EQ(lines[1], "a1   nightly …   3");
}

TEST(Table, ANarrowTerminalLosesColumnsBeforeTheName) {
  Table table({{"JOB"}, {"STATE"}, {"CREATED"}, {"NAME", false, true}});
  table.Add({"01kexq2v7m3b5n8p0r1s2t4v6w", "SUCCEEDED", "5 min ago", "nightly"});
  const auto lines = Lines(table.Render(40));
  EXPECT_EQ(lines[0], "JOB                         STATE  CREA…");
  EXPECT_EQ(lines[1], "01kexq2v7m3b5n8p0r1s2t4v6w  SUCC…  5 mi…");
  EXPECT_EQ(Lines(table.Render(20))[1], "01kexq2v7m3b5n8p0r1…");
}

TEST(Table, APipeGetsTabsUncutAndHarmless) {
  Table table({{"JOB"}, {"NAME", false, true}});
  table.Add({Cell("5 min ago", "2026-01-14T09:00:00Z"), std::string(300, 'x')});
  table.Add({"a\tb", "line\nbreak\x1b[0m"});
  EXPECT_EQ(table.Render(0),
            "JOB\tNAME\n2026-01-14T09:00:00Z\t" + std::string(300, 'x') + "\na\\tb\tline\\nbreak\\x1b[0m\n");
}

}  // namespace
}  // namespace benchwire::cli
