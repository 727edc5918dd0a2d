#include <re2/re2.h>

#include <algorithm>

#include "workers/command/lines.h"
#include "workers/command/parameter.h"
#include "workers/command/rows.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

// A column that is wanted by its header.
struct Column {
  std::string name;
  std::size_t index = 0;
};

struct Record {
  std::size_t line = 0;  // Where it begins, from 1.
  std::vector<std::string> cells;
};

// Reads one record after another; a quoted cell may hold the delimiter, doubled quotes and line breaks.
class CsvReader {
 public:
  CsvReader(const std::string& text, char delimiter) : text_(text), delimiter_(delimiter) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  // False at the end, and after a fault.
  bool Next(Record* record) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) Skip();
    if (at_ >= text_.size()) return false;
    record->line = line_;
    record->cells.clear();
    do {
      record->cells.push_back(Cell());
    } while (fault_.empty() && at_ < text_.size() && text_[at_] == delimiter_ && ++at_ > 0);
    return fault_.empty();
  }

  const std::string& fault() const { return fault_; }

 private:
  void Skip() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }

  std::string Cell() {
    if (at_ < text_.size() && text_[at_] == '"') return Quoted();
    const std::size_t end = std::min(text_.find_first_of(std::string("\r\n") + delimiter_, at_), text_.size());
    std::string cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  std::string Quoted() {
    const std::size_t opened = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); Skip()) {
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += '"';
        ++at_;
      } else {
        ++at_;
        const bool ends = at_ >= text_.size() || text_[at_] == delimiter_ || text_[at_] == '\n' || text_[at_] == '\r';
        if (!ends) fault_ = "line " + std::to_string(line_) + ": text after the quotes of a cell";
        return cell;
      }
    }
    fault_ = "line " + std::to_string(opened) + ": a cell whose quotes do not end";
    return cell;
  }

  const std::string& text_;
  const char delimiter_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string fault_;
};

kit::Result<Column> FindColumn(const std::vector<std::string>& header, const std::string& name) {
  const auto count = std::count(header.begin(), header.end(), name);
  if (count > 1) {
    return kit::Error{"DUPLICATE_COLUMN", std::to_string(count) + " columns have the header " + kit::Quoted(name)};
  }
  if (count == 1) {
    return Column{name, static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin())};
  }
  std::string there;
  for (const std::string& known : header) {
    if (there.size() < 400) there += " " + kit::Quoted(known);
  }
  return kit::Error{"MISSING_COLUMN", "no column has the header " + kit::Quoted(name) + "; there are" + there};
}

// The columns of a rule: the value's, the step's where there is one, and those of labels.
kit::Result<std::vector<Column>> FindColumns(const Rule& rule, const std::vector<std::string>& header) {
  std::vector<std::string> names = {rule.value};
  if (!rule.step.empty()) names.push_back(rule.step);
  names.insert(names.end(), rule.label_columns.begin(), rule.label_columns.end());
  std::vector<Column> columns;
  for (const std::string& name : names) {
    kit::Result<Column> column = FindColumn(header, name);
    if (!column.ok()) return column.error();
    columns.push_back(*column);
  }
  return columns;
}

Row CsvRow(const Rule& rule, const std::vector<Column>& columns, const Record& record, std::size_t width) {
  Row row;
  row.where = "line " + std::to_string(record.line);
  if (record.cells.size() != width) {
    row.problem = std::to_string(record.cells.size()) + " cells; the header has " + std::to_string(width);
    return row;
  }
  row.value = record.cells[columns[0].index];
  std::size_t next = 1;
  if (!rule.step.empty()) row.step = record.cells[columns[next++].index];
  for (; next < columns.size(); ++next) row.labels[columns[next].name] = record.cells[columns[next].index];
  return row;
}

// Text of a group of a match. A group that took no part in it is absent.
std::optional<std::string> GroupText(const std::vector<re2::StringPiece>& groups, int index) {
  const re2::StringPiece& piece = groups[static_cast<std::size_t>(index)];
  if (piece.data() == nullptr) return std::nullopt;
  return std::string(piece.data(), piece.size());
}

}  // namespace

kit::Result<std::vector<Row>> CsvRows(const Rule& rule, const std::string& text) {
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return kit::Error{"BAD_CSV", "a zero byte at offset " + std::to_string(zero) + ": not a text"};
  }
  CsvReader reader(text, rule.delimiter);
  std::vector<Row> rows;
  Record record;
  if (!reader.Next(&record)) return kit::Error{"BAD_CSV", reader.fault().empty() ? "empty" : reader.fault()};
  const std::size_t width = record.cells.size();
  const kit::Result<std::vector<Column>> columns = FindColumns(rule, record.cells);
  if (!columns.ok()) return columns.error();
  while (reader.Next(&record)) {
    rows.push_back(CsvRow(rule, *columns, record, width));
    if (rows.size() > kMaxRows) return kit::Error{"TOO_MANY_ROWS", "more than a million rows"};
  }
  if (!reader.fault().empty()) return kit::Error{"BAD_CSV", reader.fault()};
  return rows;
}

std::optional<Row> RegexRow(const Rule& rule, const std::string& line, std::int64_t number) {
  const re2::RE2& pattern = *rule.pattern;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
  if (!pattern.Match(line, 0, line.size(), re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
    return std::nullopt;
  }
  Row row;
  row.where = "line " + std::to_string(number);
  for (const auto& [name, index] : pattern.NamedCapturingGroups()) {
    const std::optional<std::string> text = GroupText(groups, index);
    if (name == "value") {
      row.value = text;
      if (!text) row.problem = "the group value took no part in the match";
    } else if (name == "step") {
      row.step = text;
    } else if (name == "case") {
      row.case_id = text.value_or("");
    } else if (text) {
      row.labels[name] = *text;
    }
  }
  return row;
}

kit::Result<std::vector<Row>> RegexRows(const Rule& rule, const std::string& text) {
  std::vector<Row> rows;
  std::int64_t number = 0;
  const auto line = [&](const std::string& one, bool) {
    auto row = RegexRow(rule, one, ++number);
    if (row && rows.size() <= kMaxRows) rows.push_back(std::move(*row));
  };
  Lines lines(kMaxLine);
  lines.Feed(text, line);
  lines.End(line);
  if (rows.size() > kMaxRows) return kit::Error{"TOO_MANY_ROWS", "more than a million rows"};
  return rows;
}

}  // namespace benchwire::command
