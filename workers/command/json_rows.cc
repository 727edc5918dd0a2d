#include <nlohmann/json.hpp>
#include <set>

#include "workers/command/lines.h"
#include "workers/command/parameter.h"
#include "workers/command/rows.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;

// Unlike a plain parse, a repeated key is an error: which of the two would be the number?
kit::Result<Json> ParseStrictly(const std::string& text) {
  std::vector<std::set<std::string>> keys;
  std::string fault;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth && fault.empty()) fault = "nested deeper than 64";
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && fault.empty()) {
      fault = "the key " + kit::Quoted(parsed.get<std::string>()) + " stands twice";
    }
    return true;
  };
  try {
    Json value = Json::parse(text, watch);
    if (!fault.empty()) return kit::Error{"BAD_JSON", fault};
    return value;
  } catch (const Json::exception& error) {
    std::string why = error.what();
    if (const std::size_t end = why.find("] "); end != std::string::npos) why = why.substr(end + 2);
    return kit::Error{"BAD_JSON", "not JSON: " + why};
  }
}

// The number of a value as text, or what it is instead.
void SetValue(const Json& value, Row* row) {
  if (value.is_number()) {
    row->value = value.dump();
  } else if (value.is_string()) {
    row->value = value.get<std::string>();
  } else {
    row->problem = std::string(value.type_name()) + "; want a number";
  }
}

const Json* At(const Json& document, const std::string& pointer) {
  const Json::json_pointer path(pointer);
  try {
    return document.contains(path) ? &document.at(path) : nullptr;
  } catch (const Json::exception&) {  // Such as an index into a list that is no number.
    return nullptr;
  }
}

}  // namespace

kit::Result<std::vector<Row>> JsonRows(const Rule& rule, const std::string& text) {
  // A parsed document takes many times its size.
  static constexpr std::size_t kMaxJson = std::size_t{16} << 20;
  if (text.size() > kMaxJson) return kit::Error{"FILE_TOO_LARGE", "more than 16 MiB of JSON"};
  const kit::Result<Json> document = ParseStrictly(text);
  if (!document.ok()) return document.error();
  std::vector<Row> rows;
  const Json* value = At(*document, rule.value);
  if (value == nullptr) return rows;
  if (!value->is_array()) {
    Row& row = rows.emplace_back();
    row.where = rule.value.empty() ? "the document" : rule.value;
    SetValue(*value, &row);
    return rows;
  }
  if (value->size() > kMaxRows) return kit::Error{"TOO_MANY_ROWS", std::to_string(value->size()) + " elements"};
  for (std::size_t i = 0; i < value->size(); ++i) {
    Row& row = rows.emplace_back();
    row.where = rule.value + "/" + std::to_string(i);
    SetValue((*value)[i], &row);
  }
  return rows;
}

kit::Result<std::vector<Row>> JsonLineRows(const Rule& rule, const std::string& text) {
  static constexpr std::size_t kMaxJsonLine = std::size_t{8} << 20;
  std::vector<Row> rows;
  std::int64_t number = 0;
  const auto line = [&](const std::string& json, bool whole) {
    ++number;
    if (json.find_first_not_of(" \t\r") == std::string::npos || rows.size() > kMaxRows) return;
    Row row;
    row.where = "line " + std::to_string(number);
    const kit::Result<Json> document = whole ? ParseStrictly(json) : kit::Error{"BAD_JSON", "a line above 8 MiB"};
    const Json* value = document.ok() ? At(*document, rule.value) : nullptr;
    if (!document.ok()) {
      row.problem = document.error().message;
    } else if (value == nullptr) {
      return;  // Lines of other kinds may stand between.
    } else {
      SetValue(*value, &row);
      const Json* step = rule.step.empty() ? nullptr : At(*document, rule.step);
      if (step != nullptr) row.step = step->is_string() ? step->get<std::string>() : step->dump();
      if (step == nullptr && !rule.step.empty()) row.problem = "no step at " + rule.step;
    }
    rows.push_back(std::move(row));
  };
  Lines lines(kMaxJsonLine);
  lines.Feed(text, line);
  lines.End(line);
  if (rows.size() > kMaxRows) return kit::Error{"TOO_MANY_ROWS", "more than a million rows"};
  return rows;
}

}  // namespace benchwire::command
