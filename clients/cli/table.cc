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

// Cells of a line with its gaps.
int Total(const std::vector<int>& widths) {
  const auto shown = std::count_if(widths.begin(), widths.end(), [](int width) { return width > 0; });
  return std::accumulate(widths.begin(), widths.end(), 0) + kGap * std::max(0, static_cast<int>(shown) - 1);
}

// The same with the first column, the name of the thing, whole and all others at their least.
int LeastWidth(std::vector<int> widths, const std::vector<bool>& flexible) {
  for (size_t i = 1; i < widths.size(); ++i)
    widths[i] = std::min(widths[i], flexible[i] ? kLeastFlexible : kLeastOther);
  return Total(widths);
}

// Takes the last flexible column out, or else the last one. False where only the first is left.
bool DropOne(std::vector<int>& widths, const std::vector<bool>& flexible) {
  for (const bool any : {false, true}) {
    for (size_t i = widths.size() - 1; i > 0; --i) {
      if (widths[i] > 0 && (any || flexible[i])) {
        widths[i] = 0;
        return true;
      }
    }
  }
  return false;
}

}  // namespace

// The width of each column; 0 where the terminal has no room for it.
std::vector<int> Table::Widths(const std::vector<std::vector<std::string>>& lines, int terminal_width) const {
  std::vector<int> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(line[i]));
  }
  std::vector<bool> flexible;
  std::vector<bool> others(columns_.size(), true);
  std::vector<bool> first(columns_.size(), false);
  for (const Column& column : columns_) flexible.push_back(column.flexible);
  others[0] = false;
  first[0] = true;
  while (LeastWidth(widths, flexible) > terminal_width && DropOne(widths, flexible)) continue;
  int excess = Total(widths) - terminal_width;
  Shrink(widths, flexible, kLeastFlexible, excess);
  Shrink(widths, others, kLeastOther, excess);
  Shrink(widths, first, 1, excess);
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
      if (widths[i] == 0) continue;
      if (i > 0) text += std::string(kGap, ' ');
      text += PadTo(CutToWidth(line[i], widths[i]), widths[i], columns_[i].align_right);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += text + "\n";
  }
  return out;
}

}  // namespace benchwire::cli
