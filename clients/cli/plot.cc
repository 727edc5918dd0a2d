#include "clients/cli/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "clients/cli/text.h"

namespace benchwire::cli {
namespace {

constexpr int kLabel = 11;  // Cells of the longest AxisNumber, `-1.2346e-10`.
constexpr int kLeastColumns = kLabel + 3 + 8;

// Dots in cells: two by four of a braille pattern, or one.
class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode)
      : unicode_(unicode),
        columns_(columns),
        across_(columns * (unicode ? 2 : 1)),
        down_(rows * (unicode ? 4 : 1)),
        cells_(static_cast<size_t>(columns * rows)) {}

  int across() const { return across_; }
  int down() const { return down_; }

  // Counted from the upper left.
  void Dot(int x, int y) {
    // Bit of a dot in a braille pattern by row and column: Unicode chapter 21.1.
    static constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int cell = unicode_ ? (y / 4) * columns_ + x / 2 : y * columns_ + x;
    const unsigned char bit = unicode_ ? kBits[y % 4][x % 2] : 1;
    unsigned char& bits = cells_[static_cast<size_t>(cell)];
    bits = static_cast<unsigned char>(bits | bit);
  }

  // A straight line with its ends.
  void Line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      Dot(x0 + static_cast<int>(std::lround(static_cast<double>(i) * (x1 - x0) / steps)),
          y0 + static_cast<int>(std::lround(static_cast<double>(i) * (y1 - y0) / steps)));
    }
  }

  std::string Row(int row) const {
    std::string out;
    for (int column = 0; column < columns_; ++column) {
      const unsigned char bits = cells_[static_cast<size_t>(row * columns_ + column)];
      if (bits == 0) {
        out += ' ';
      } else if (!unicode_) {
        out += '*';
      } else {  // U+2800 + bits.
        out += '\xe2';
        out += static_cast<char>(0xa0 + (bits >> 6));
        out += static_cast<char>(0x80 + (bits & 0x3f));
      }
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

 private:
  const bool unicode_;
  const int columns_;
  const int across_, down_;
  std::vector<unsigned char> cells_;
};

// Where `value` lies between the two, 0 to 1. Halves: the distance of two finite numbers may be infinite.
double Place(double value, double least, double largest) {
  return largest > least ? (value / 2 - least / 2) / (largest / 2 - least / 2) : 0.5;
}

int PlotColumns(const PlotOptions& options) { return std::max(options.columns, kLeastColumns) - kLabel - 3; }

}  // namespace

int PlotDots(const PlotOptions& options) { return PlotColumns(options) * (options.unicode ? 2 : 1); }

std::string AxisNumber(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.5g", value);
  return buffer;
}

std::string RenderPlot(const google::protobuf::RepeatedPtrField<v1::SeriesPoint>& points, const PlotOptions& options) {
  const auto by_value = [](const v1::SeriesPoint& a, const v1::SeriesPoint& b) { return a.value() < b.value(); };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_value);
  const double least = low->value(), largest = high->value();
  const auto first = static_cast<double>(points.begin()->step()), last = static_cast<double>(points.rbegin()->step());
  const int columns = PlotColumns(options), rows = std::max(options.rows, 3);
  Canvas canvas(columns, rows, options.unicode);
  int before_x = -1, before_y = 0;
  for (const v1::SeriesPoint& point : points) {
    const double step = static_cast<double>(point.step());
    const int x = static_cast<int>(std::lround(Place(step, first, last) * (canvas.across() - 1)));
    const int y = static_cast<int>(std::lround((1 - Place(point.value(), least, largest)) * (canvas.down() - 1)));
    canvas.Line(before_x < 0 ? x : before_x, before_x < 0 ? y : before_y, x, y);
    before_x = x;
    before_y = y;
  }
  std::string out;
  for (int row = 0; row < rows; ++row) {
    std::string label;
    if (row == rows / 2) label = AxisNumber(least / 2 + largest / 2);
    if (row == 0 && largest > least) label = AxisNumber(largest);
    if (row == rows - 1 && largest > least) label = AxisNumber(least);
    out +=
        PadTo(label, kLabel, true) + (options.unicode ? (label.empty() ? " │" : " ┤") : " |") + canvas.Row(row) + "\n";
  }
  out += std::string(kLabel, ' ') + (options.unicode ? " └" : " +");
  for (int column = 0; column < columns; ++column) out += options.unicode ? "─" : "-";
  const std::string left = std::to_string(points.begin()->step()), right = std::to_string(points.rbegin()->step());
  out += "\n" + std::string(kLabel + 2, ' ') + left;
  const int gap = columns - static_cast<int>(left.size() + right.size());
  if (left != right) out += std::string(static_cast<size_t>(std::max(gap, 1)), ' ') + right;
  return out + "\n";
}

bool IsUtf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text;
    for (const char* c = value; *c != '\0'; ++c) {
      if (*c != '-') text += static_cast<char>(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    }
    return text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace benchwire::cli
