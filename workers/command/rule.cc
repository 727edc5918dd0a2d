#include "workers/command/rule.h"

#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workers/command/parameter.h"
#include "workers/command/path.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxUnit = 32;
constexpr std::size_t kMaxPattern = 1024;
constexpr std::size_t kMaxLabels = 16;
constexpr std::size_t kMaxLabelValue = 256;

bool IsLabelKey(const std::string& key) {
  return !key.empty() && key.size() <= 63 &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") == std::string::npos;
}

void ReadPointer(kit::SpecReader& reader, const char* field, std::string* out) {
  reader.AnyText(field, kMaxPattern, out);
  try {
    const nlohmann::json::json_pointer parsed(*out);
  } catch (const nlohmann::json::exception&) {
    reader.Refuse(field, kit::Quoted(*out), "a JSON pointer (RFC 6901) such as /metrics/0/accuracy");
  }
}

void ReadPattern(kit::SpecReader& reader, Rule* rule) {
  std::string pattern;
  reader.AnyText("pattern", kMaxPattern, &pattern);
  auto compiled = CompilePattern(pattern);
  if (!compiled.ok()) return reader.Refuse("pattern", kit::Quoted(pattern), compiled.error().message);
  const auto& groups = (*compiled)->NamedCapturingGroups();
  if (!groups.contains("value"))
    reader.Refuse("pattern", kit::Quoted(pattern), "a group (?P<value>…) around the number");
  for (const auto& [name, index] : groups) {
    if (name == "value" || name == "step" || name == "case" || IsLabelKey(name)) continue;
    reader.Refuse("pattern", kit::Quoted(name), "names of groups that can be label keys: [a-z0-9_]{1,63}");
  }
  rule->pattern = *compiled;
}

void ReadDelimiter(kit::SpecReader& reader, Rule* rule) {
  std::string delimiter = ",";
  reader.AnyText("delimiter", 1, &delimiter);
  if (delimiter != "," && delimiter != ";" && delimiter != "\t" && delimiter != "|") {
    return reader.Refuse("delimiter", kit::Quoted(delimiter), "one of , ; | and tab");
  }
  rule->delimiter = delimiter[0];
}

// Where the numbers come from.
void ReadSource(kit::SpecReader& reader, Rule* rule) {
  int format = -1;
  reader.Enum("from", {{"json", 0}, {"jsonl", 1}, {"csv", 2}, {"regex", 3}, {"usage", 4}}, &format);
  if (format < 0) reader.Refuse("from", "absent", "json, jsonl, csv, regex or usage");
  rule->format = static_cast<Format>(std::max(format, 0));
  if (rule->format == Format::kUsage) {
    int usage = -1;
    reader.Enum("value", {{"wall_time", 0}, {"user_time", 1}, {"system_time", 2}, {"max_rss", 3}}, &usage);
    if (usage < 0) reader.Refuse("value", "absent", "wall_time, user_time, system_time or max_rss");
    static const char* const kNames[] = {"wall_time", "user_time", "system_time", "max_rss"};
    rule->value = kNames[std::max(usage, 0)];
    return;
  }
  reader.AnyText("file", kMaxPattern, &rule->file);
  if (!rule->file.empty() && !IsInside(rule->file)) {
    reader.Refuse("file", kit::Quoted(rule->file),
                  "a path inside the working directory, or nothing for standard output");
  }
  if (rule->format == Format::kJson || rule->format == Format::kJsonLines) {
    if (!reader.Has("value")) reader.Refuse("value", "absent", "a JSON pointer (RFC 6901) such as /metrics/0/accuracy");
    ReadPointer(reader, "value", &rule->value);
    if (rule->format == Format::kJsonLines) ReadPointer(reader, "step", &rule->step);
  } else if (rule->format == Format::kCsv) {
    reader.Text("value", kMaxName, &rule->value);
    if (rule->value.empty()) reader.Refuse("value", "absent", "the header of a column");
    reader.Text("step", kMaxName, &rule->step);
    reader.Texts("label_columns", kMaxLabels, kMaxName, &rule->label_columns);
    for (const std::string& column : rule->label_columns) {
      if (!IsLabelKey(column)) reader.Refuse("label_columns", kit::Quoted(column), "headers of [a-z0-9_.-]{1,63}");
    }
    ReadDelimiter(reader, rule);
  } else {
    ReadPattern(reader, rule);
  }
  if (rule->format == Format::kJson) return;
  int rows = 0;
  reader.Enum("rows", {{"all", 0}, {"last", 1}}, &rows);
  rule->rows = static_cast<Rows>(rows);
}

void ReadLabels(kit::SpecReader& reader, Rule* rule) {
  std::map<std::string, std::string> labels;
  reader.TextMap("labels", kMaxLabels, kMaxLabelValue, &labels);
  for (const auto& [key, value] : labels) {
    if (!IsLabelKey(key)) reader.Refuse("labels." + key, kit::Quoted(value), "keys of [a-z0-9_.-]{1,63}");
    auto parsed = Template::Parse(value);
    if (parsed.ok()) {
      rule->labels.emplace(key, std::move(*parsed));
    } else {
      reader.Refuse("labels." + key, kit::Quoted(value), parsed.error().message);
    }
  }
}

}  // namespace

Rule ReadRule(kit::SpecReader& reader, const std::string& command) {
  Rule rule;
  rule.case_id = command;
  ReadSource(reader, &rule);
  reader.Text("metric", kMaxName, &rule.metric);
  if (rule.metric.empty()) reader.Refuse("metric", "absent", "the name of the metric");
  reader.Text("case", kMaxName, &rule.case_id);
  reader.Text("unit", kMaxUnit, &rule.unit);
  if (rule.unit.empty()) reader.Refuse("unit", "absent", "an SI unit such as s, B/s or %, 1 for a bare number");
  int direction = -1;
  reader.Enum("direction", {{"HIGHER", 0}, {"LOWER", 1}, {"NONE", 2}}, &direction);
  if (direction < 0) reader.Refuse("direction", "absent", "which way is better: HIGHER, LOWER or NONE");
  rule.direction = static_cast<kit::Direction>(std::max(direction, 0));
  ReadLabels(reader, &rule);
  reader.Number("scale", -1e300, 1e300, &rule.scale);
  if (rule.scale == 0) reader.Refuse("scale", "0", "what values are multiplied with, not 0");
  int estimator = 0;
  reader.Enum("estimator", {{"auto", 0}, {"median", 1}, {"mean", 2}, {"min", 3}, {"max", 4}}, &estimator);
  rule.estimator = static_cast<Estimator>(estimator);
  int emit = 0;
  reader.Enum("emit", {{"measurement", 0}, {"series", 1}, {"both", 2}}, &emit);
  rule.emit = static_cast<Emit>(emit);
  reader.Boolean("required", &rule.required);
  return rule;
}

std::string RuleName(const Rule& rule) { return rule.metric + " (" + rule.case_id + ")"; }

}  // namespace benchwire::command
