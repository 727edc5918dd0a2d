#include "workers/command/report.h"

#include "workers/kit/console.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

std::string LabelsText(const kit::Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += (out.empty() ? "" : " ") + key + "=" + value;
  return out;
}

std::vector<std::string> LineOf(const kit::Measurement& row) {
  std::vector<std::string> line = {row.metric, row.case_id, LabelsText(row.labels)};
  for (std::string& cell : kit::NumberCells(row)) line.push_back(std::move(cell));
  return line;
}

}  // namespace

std::string RowsText(const std::vector<kit::Measurement>& rows) {
  if (rows.empty()) return "no measurements\n";
  std::vector<std::vector<std::string>> lines = {{"metric", "case", "labels", "value", "95 % interval", "n"}};
  std::string reasons;
  for (const kit::Measurement& row : rows) {
    lines.push_back(LineOf(row));
    if (!row.value) reasons += row.metric + ": " + row.reason_code + ": " + row.reason + "\n";
  }
  return kit::AlignColumns(lines) + reasons;
}

std::string CommandsText(const Definitions& definitions) {
  std::string text;
  for (const auto& [name, definition] : definitions) {
    text += name + (definition.description.empty() ? "" : ": " + definition.description) + "\n";
    std::vector<std::vector<std::string>> lines;
    for (const auto& [key, parameter] : definition.parameters) {
      lines.push_back({"  " + key, WantOf(parameter),
                       parameter.fallback ? "default " + kit::Quoted(*parameter.fallback) : "required",
                       parameter.description});
    }
    text += kit::AlignColumns(lines);
  }
  return text.empty() ? "no commands are defined\n" : text;
}

}  // namespace benchwire::command
