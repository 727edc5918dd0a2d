// A table: aligned by display width and cut to the terminal's columns for people, or tab-separated, uncut and stable
// for programs. Pure.
#ifndef BENCHWIRE_CLIENTS_CLI_TABLE_H_
#define BENCHWIRE_CLIENTS_CLI_TABLE_H_

#include <string>
#include <vector>

namespace benchwire::cli {

struct Column {
  std::string title;
  bool align_right = false;
  // Cut first, and left out first, where the terminal is too narrow. The first column is cut last of all.
  bool flexible = false;
};

// What a cell shows to people, and to programs. Text from outside may be given as it is: Render makes it harmless.
struct Cell {
  Cell(std::string both) : human(both), machine(std::move(both)) {}  // NOLINT: a text is a cell
  Cell(const char* both) : Cell(std::string(both)) {}                // NOLINT: a text is a cell
  Cell(std::string human_text, std::string machine_text)
      : human(std::move(human_text)), machine(std::move(machine_text)) {}
  std::string human;
  std::string machine;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column.
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // `terminal_width` 0: tab-separated, a header line first. Each line ends with a line break.
  std::string Render(int terminal_width) const;

 private:
  std::string RenderTabs() const;
  std::vector<int> Widths(const std::vector<std::vector<std::string>>& lines, int terminal_width) const;

  const std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_TABLE_H_
