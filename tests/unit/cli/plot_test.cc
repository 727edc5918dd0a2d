#include "clients/cli/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cli/text.h"

namespace benchwire::cli {
namespace {

using Points = google::protobuf::RepeatedPtrField<v1::SeriesPoint>;

Points PointsOf(const std::vector<std::pair<int64_t, double>>& values) {
  Points out;
  for (const auto& [step, value] : values) {
    v1::SeriesPoint& point = *out.Add();
    point.set_step(step);
    point.set_value(value);
  }
  return out;
}

std::vector<std::string> PlotLines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(Plot, RisesFromTheLowerLeftToTheUpperRight) {
  const std::string text = RenderPlot(PointsOf({{0, 0}, {100, 10}}), {.columns = 34, .rows = 5, .unicode = false});
  EXPECT_EQ(text,
            "         10 |                 ***\n"
            "            |            *****\n"
            "          5 |        ****\n"
            "            |   *****\n"
            "          0 |***\n"
            "            +--------------------\n"
            "             0                100\n");
}

TEST(Plot, BrailleHasEightDotsInACell) {
  const auto lines = PlotLines(RenderPlot(PointsOf({{0, 0}, {1, 1}, {2, 0}}), {.columns = 34, .rows = 3}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[0].find("⠤⠒⠑"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[3], "            └────────────────────");
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 34) << line;
}

TEST(Plot, ASpikeBetweenTwoPointsOfAStepIsAVerticalLine) {
  const auto lines = PlotLines(
      RenderPlot(PointsOf({{0, 0}, {5, 0}, {5, 9}, {5, 0}, {10, 0}}), {.columns = 34, .rows = 4, .unicode = false}));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(lines[static_cast<size_t>(row)].back(), '*') << row;
}

TEST(Plot, ConstantsOnePointAndExtremesAreDrawn) {
  constexpr double kMax = std::numeric_limits<double>::max();
  for (const Points& points :
       {PointsOf({{7, 3}}), PointsOf({{0, 3}, {9, 3}}), PointsOf({{0, -kMax}, {1, kMax}}),
        PointsOf({{0, 5e-324}, {1, 0}}), PointsOf({{0, 1}, {std::numeric_limits<int64_t>::max(), 2}})}) {
    for (const bool unicode : {true, false}) {
      for (const int columns : {0, 10, 80, 300}) {
        const auto lines = PlotLines(RenderPlot(points, {.columns = columns, .rows = 6, .unicode = unicode}));
        ASSERT_EQ(lines.size(), 8u);
        for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), std::max(columns, 34)) << line;
      }
    }
  }
  const auto constant = PlotLines(RenderPlot(PointsOf({{0, 3}, {9, 3}}), {.columns = 40, .rows = 5, .unicode = false}));
  EXPECT_NE(constant[2].find("3 |***"), std::string::npos) << constant[2];
}

TEST(Plot, NumbersAtTheAxesAreShort) {
  EXPECT_EQ(AxisNumber(0), "0");
  EXPECT_EQ(AxisNumber(1.0 / 3), "0.33333");
  EXPECT_EQ(AxisNumber(123456789), "1.2346e+08");
  EXPECT_EQ(AxisNumber(-1.23456e-10), "-1.2346e-10");
}

}  // namespace
}  // namespace benchwire::cli
