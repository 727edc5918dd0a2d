#include "workers/command/template.h"

namespace benchwire::command {

bool IsName(const std::string& text) {
  return !text.empty() && text.size() <= 63 && text[0] >= 'a' && text[0] <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

kit::Result<Template> Template::Parse(const std::string& text) {
  static constexpr char kWant[] = "; want {name} with a name of [a-z][a-z0-9_]{0,62}, or {{ and }} for braces";
  Template out;
  std::string literal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', i) : std::string::npos;
    const std::string name = end == std::string::npos ? "" : text.substr(i + 1, end - i - 1);
    if (!IsName(name)) {
      return kit::Error{"BAD_TEMPLATE", "a lone brace at byte " + std::to_string(i) + kWant};
    }
    if (!literal.empty()) out.pieces_.push_back({false, literal});
    literal.clear();
    out.pieces_.push_back({true, name});
    i = end;
  }
  if (!literal.empty()) out.pieces_.push_back({false, literal});
  return out;
}

std::set<std::string> Template::Names() const {
  std::set<std::string> names;
  for (const Piece& piece : pieces_) {
    if (piece.is_name) names.insert(piece.text);
  }
  return names;
}

std::string Template::Expand(const Values& values) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    const auto value = piece.is_name ? values.find(piece.text) : values.end();
    if (!piece.is_name) {
      out += piece.text;
    } else if (value != values.end()) {
      out += value->second;
    } else {
      out += "{" + piece.text + "}";
    }
  }
  return out;
}

}  // namespace benchwire::command
