#include "server/gateway/path_template.h"

#include "server/base/status.h"
#include "server/gateway/url.h"

namespace benchwire::gateway {
namespace {

absl::Status BadTemplate(std::string_view text, const std::string& why) {
  return absl::InvalidArgumentError("path template '" + std::string(text) + "': " + why);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

absl::StatusOr<RequestPath> ParsePath(std::string_view path) {
  RequestPath parsed;
  for (const std::string_view raw : Split(path.substr(1), '/')) {
    ASSIGN_OR_RETURN(std::string segment, PercentDecode(raw));
    if (segment.find_first_of("/\\\r\n\t") != std::string::npos) {
      return BadField("path", std::string(path), "no encoded /, \\ or control character");
    }
    parsed.segments.push_back(std::move(segment));
  }
  return parsed;
}

absl::StatusOr<PathTemplate> PathTemplate::Parse(std::string_view text) {
  PathTemplate out;
  if (!text.starts_with('/')) return BadTemplate(text, "does not begin with /");
  std::string_view rest = text.substr(1);
  const size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos && rest.find_first_of("/}", colon) == std::string_view::npos) {
    out.verb_ = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  while (!rest.empty()) {
    const bool is_variable = rest.front() == '{';
    const size_t end = is_variable ? rest.find('}') : rest.find('/');
    if (is_variable && end == std::string_view::npos) return BadTemplate(text, "a { without }");
    std::string_view part = rest.substr(is_variable ? 1 : 0, is_variable ? end - 1 : end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + (is_variable ? 1 : 0));
    if (!rest.empty() && rest.front() != '/') return BadTemplate(text, "no / between segments");
    if (!rest.empty()) rest.remove_prefix(1);
    const size_t first = out.segments_.size();
    std::string field;
    if (is_variable) {
      const size_t equals = part.find('=');
      field = part.substr(0, equals);
      part = equals == std::string_view::npos ? std::string_view("*") : part.substr(equals + 1);
    }
    for (const std::string_view segment : Split(part, '/')) {
      if (segment.empty() || segment == "**") return BadTemplate(text, "an empty segment or **");
      out.segments_.push_back(segment == "*" ? std::nullopt : std::make_optional(std::string(segment)));
    }
    if (is_variable) out.variables_.push_back({field, first, out.segments_.size() - first});
  }
  return out;
}

std::optional<PathBindings> PathTemplate::Match(const RequestPath& path) const {
  if (path.segments.size() != segments_.size()) return std::nullopt;
  std::vector<std::string> actual = path.segments;
  if (!verb_.empty()) {
    std::string& last = actual.back();
    const size_t colon = last.rfind(':');
    if (colon == std::string::npos || std::string_view(last).substr(colon + 1) != verb_) return std::nullopt;
    last.resize(colon);
  }
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i] ? actual[i] != *segments_[i] : actual[i].empty()) return std::nullopt;
  }
  PathBindings bindings;
  for (const Variable& variable : variables_) {
    std::string value;
    for (size_t i = 0; i < variable.count; ++i) {
      if (i > 0) value += '/';
      value += actual[variable.first + i];
    }
    bindings.emplace_back(variable.field, std::move(value));
  }
  return bindings;
}

std::vector<std::string> PathTemplate::fields() const {
  std::vector<std::string> names;
  for (const Variable& variable : variables_) names.push_back(variable.field);
  return names;
}

int PathTemplate::specificity() const {
  int literals = verb_.empty() ? 0 : 1;
  for (const auto& segment : segments_) literals += segment ? 1 : 0;
  return literals;
}

}  // namespace benchwire::gateway
