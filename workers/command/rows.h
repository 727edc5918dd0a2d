// Finds the rows of a rule in a text that a program left behind. Nothing in the text can be more than a row that holds
// no number, or a fault of the whole text. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_ROWS_H_
#define BENCHWIRE_WORKERS_COMMAND_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/command/rule.h"
#include "workers/kit/result.h"

namespace benchwire::command {

// What of a line is matched with a pattern.
inline constexpr std::size_t kMaxLine = std::size_t{64} << 10;
// Rows of one rule.
inline constexpr std::size_t kMaxRows = 1'000'000;

struct Row {
  std::string where;                 // `line 7`, `row 3`, `/metrics/0`.
  std::optional<std::string> value;  // As text; absent where `problem` says why.
  std::optional<std::string> step;
  std::string case_id;  // Empty: the rule's.
  kit::Labels labels;   // Beside the rule's.
  std::string problem;
};

// JSON (RFC 8259): the value at the pointer, or each element of a list there. BAD_JSON, FILE_TOO_LARGE.
kit::Result<std::vector<Row>> JsonRows(const Rule& rule, const std::string& text);
// One JSON value a line. A line that is none is a row with a problem.
kit::Result<std::vector<Row>> JsonLineRows(const Rule& rule, const std::string& text);
// CSV (RFC 4180) whose first record is a header. BAD_CSV, MISSING_COLUMN, DUPLICATE_COLUMN.
kit::Result<std::vector<Row>> CsvRows(const Rule& rule, const std::string& text);
// The row of one line, without its line break; nothing where the pattern does not match. `number` counts from 1.
std::optional<Row> RegexRow(const Rule& rule, const std::string& line, std::int64_t number);
// RegexRow of every line.
kit::Result<std::vector<Row>> RegexRows(const Rule& rule, const std::string& text);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_ROWS_H_
