#include "clients/cli/table.h"

#include <algorithm>
#include <numeric>

#include "clients/cli/text.h"

namespace benchwire::cli {
namespace {

constexpr int kGap = 2;
constexpr int kLeastFlexible = 8;
constexpr int kLeastOther = 4;

// Takes cells from the widest of the chosen columns until the line fits or each is at its least.
void Shrink(std::vector<int>& widths, const std::vector<bool>& chosen, int least, int& excess) {
  while (excess > 0) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (chosen[i] && widths[i] > least && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --excess;
  }
}

}  // namespace

std::vector<int> Table::Widths(const std::vector<std::vector<std::string>>& lines, int terminal_width) const {
  std::vector<int> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(line[i]));
  }
  int excess = std::accumulate(widths.begin(), widths.end(), 0) + kGap * (static_cast<int>(columns_.size()) - 1) -
               terminal_width;
  std::vector<bool> flexible;
  for (const Column& column : columns_) flexible.push_back(column.flexible);
  Shrink(widths, flexible, kLeastFlexible, excess);
  Shrink(widths, std::vector<bool>(columns_.size(), true), kLeastOther, excess);
  return widths;
}

std::string Table::RenderTabs() const {
  std::string out;
  for (size_t i = 0; i < columns_.size(); ++i) out += (i > 0 ? "\t" : "") + columns_[i].title;
  out += '\n';
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "\t" : "") + OneLine(row[i].machine);
    out += '\n';
  }
  return out;
}

std::string Table::Render(int terminal_width) const {
  if (terminal_width <= 0) return RenderTabs();
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.title);
  for (const auto& row : rows_) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(OneLine(cell.human));
  }
  const std::vector<int> widths = Widths(lines, terminal_width);
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      if (i > 0) text += std::string(kGap, ' ');
      text += PadTo(CutToWidth(line[i], widths[i]), widths[i], columns_[i].align_right);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    // More columns than the terminal has cells for even at their least.
    out += CutToWidth(text, terminal_width) + "\n";
  }
  return out;
}

}  // namespace benchwire::cli
