#include "workers/command/parameter.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "workers/kit/parse_number.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

constexpr std::size_t kMaxChoices = 64;
constexpr std::size_t kMaxText = 1024;
// Linux takes at most 128 KiB in one argument.
constexpr std::int64_t kMostBytes = std::int64_t{64} << 10;

std::string NumberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  if (kit::ParseWhole<double>(text) == value) {
    for (int digits = 1; digits < 17; ++digits) {
      char shorter[40];
      std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
      if (kit::ParseWhole<double>(shorter) == value) return shorter;
    }
  }
  return text;
}

kit::Error BadValue(const std::string& name, const std::string& shown, const std::string& want) {
  return {"BAD_SPEC", "parameters." + name + ": " + shown + "; want " + want};
}

void ReadStringLimits(kit::SpecReader& reader, Parameter* out) {
  std::string pattern;
  reader.AnyText("pattern", kMaxText, &pattern);
  if (!pattern.empty()) {
    auto compiled = CompilePattern(pattern);
    if (compiled.ok()) {
      out->pattern = *compiled;
    } else {
      reader.Refuse("pattern", kit::Quoted(pattern), compiled.error().message);
    }
  }
  std::int64_t max_bytes = static_cast<std::int64_t>(out->max_bytes);
  reader.Integer("max_bytes", 1, kMostBytes, &max_bytes);
  out->max_bytes = static_cast<std::size_t>(max_bytes);
  reader.Boolean("allow_dash", &out->allow_dash);
}

}  // namespace

kit::Result<std::shared_ptr<const re2::RE2>> CompilePattern(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{4} << 20);
  auto compiled = std::make_shared<const re2::RE2>(pattern, options);
  if (!compiled->ok()) return kit::Error{"BAD_PATTERN", "a pattern of RE2 (" + compiled->error() + ")"};
  return std::shared_ptr<const re2::RE2>(std::move(compiled));
}

Parameter ReadParameter(kit::SpecReader& reader) {
  Parameter out;
  int type = -1;
  reader.Enum("type", {{"integer", 0}, {"number", 1}, {"string", 2}, {"enum", 3}}, &type);
  if (type < 0) reader.Refuse("type", "absent", "integer, number, string or enum");
  out.type = static_cast<ParameterType>(std::max(type, 0));
  reader.AnyText("description", kMaxText, &out.description);
  if (out.type == ParameterType::kInteger) {
    reader.Integer("min", INT64_MIN, INT64_MAX, &out.least_integer);
    reader.Integer("max", out.least_integer, INT64_MAX, &out.largest_integer);
  } else if (out.type == ParameterType::kNumber) {
    reader.Number("min", out.least_number, out.largest_number, &out.least_number);
    reader.Number("max", out.least_number, out.largest_number, &out.largest_number);
  } else if (out.type == ParameterType::kString) {
    ReadStringLimits(reader, &out);
  } else {
    reader.Texts("choices", kMaxChoices, kMaxText, &out.choices);
    if (out.choices.empty()) reader.Refuse("choices", "absent or empty", "the values it may have");
  }
  bool required = false;
  std::string fallback;
  const bool has_fallback = reader.Has("default");
  reader.Boolean("required", &required);
  reader.Scalar("default", static_cast<std::size_t>(kMostBytes), &fallback);
  if (required == has_fallback) {
    reader.Refuse("default", required ? "present beside required" : "absent", "either a default or \"required\": true");
  }
  if (has_fallback) {
    if (const kit::Status status = CheckValue("x", out, fallback); !status.ok()) {
      reader.Refuse("default", kit::Quoted(fallback), WantOf(out));
    }
    out.fallback = fallback;
  }
  return out;
}

std::string WantOf(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::kInteger:
      return "an integer from " + std::to_string(parameter.least_integer) + " to " +
             std::to_string(parameter.largest_integer);
    case ParameterType::kNumber:
      return "a number from " + NumberText(parameter.least_number) + " to " + NumberText(parameter.largest_number);
    case ParameterType::kEnum: {
      std::string want = "one of";
      for (const std::string& choice : parameter.choices) want += " " + choice;
      return want;
    }
    case ParameterType::kString:
      break;
  }
  std::string want = "a text of at most " + std::to_string(parameter.max_bytes) + " bytes";
  if (parameter.pattern) want += " that matches " + parameter.pattern->pattern();
  if (!parameter.allow_dash) want += ", not beginning with -";
  return want;
}

kit::Status CheckValue(const std::string& name, const Parameter& parameter, const std::string& value) {
  bool good = false;
  switch (parameter.type) {
    case ParameterType::kInteger: {
      const auto number = kit::ParseWhole<std::int64_t>(value);
      good = number && *number >= parameter.least_integer && *number <= parameter.largest_integer;
      break;
    }
    case ParameterType::kNumber: {
      const auto number = kit::ParseWhole<double>(value);
      good =
          number && std::isfinite(*number) && *number >= parameter.least_number && *number <= parameter.largest_number;
      break;
    }
    case ParameterType::kEnum:
      good = std::find(parameter.choices.begin(), parameter.choices.end(), value) != parameter.choices.end();
      break;
    case ParameterType::kString:
      good = value.size() <= parameter.max_bytes && value.find('\0') == std::string::npos &&
             (parameter.allow_dash || !value.starts_with('-')) &&
             (!parameter.pattern || re2::RE2::FullMatch(value, *parameter.pattern));
      break;
  }
  if (good) return kit::Status();
  return BadValue(name, kit::Quoted(value), WantOf(parameter));
}

kit::Result<Values> ResolveParameters(const Parameters& parameters, const Values& given) {
  for (const auto& [name, value] : given) {
    if (parameters.contains(name)) continue;
    std::string want = parameters.empty() ? "no parameters: the command has none" : "one of";
    for (const auto& [known, parameter] : parameters) want += " " + known;
    return BadValue(kit::Quoted(name), kit::Quoted(value), want);
  }
  Values out;
  for (const auto& [name, parameter] : parameters) {
    const auto found = given.find(name);
    if (found == given.end() && !parameter.fallback) return BadValue(name, "absent", WantOf(parameter));
    const std::string& value = found == given.end() ? *parameter.fallback : found->second;
    if (kit::Status status = CheckValue(name, parameter, value); !status.ok()) return status.error();
    out[name] = value;
  }
  return out;
}

}  // namespace benchwire::command
