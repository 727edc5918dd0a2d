#include "server/gateway/html.h"

#include "server/gateway/http_types.h"

namespace benchwire::gateway {

std::string Escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

bool IsSafeUrl(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://", "mailto:"}) {
    if (url.size() > scheme.size() && EqualsIgnoreCase(url.substr(0, scheme.size()), scheme)) return true;
  }
  return false;
}

std::string Link(std::string_view url, std::string_view text, bool internal) {
  const bool is_path = url.starts_with('/') && !url.starts_with("//") && url.find('\\') == std::string_view::npos;
  if (internal ? !is_path : !IsSafeUrl(url)) return Escape(text);
  return "<a href=\"" + Escape(url) + "\"" + (internal ? "" : " rel=\"noopener nofollow\"") + ">" + Escape(text) +
         "</a>";
}

std::string Element(const std::string& name, const std::string& css_class, std::string_view text) {
  return "<" + name + " class=\"" + css_class + "\">" + Escape(text) + "</" + name + ">";
}

void AddFact(std::string& html, std::string_view label, std::string_view value_html) {
  if (value_html.empty()) return;
  html += "<dt>" + Escape(label) + "</dt><dd>";
  html += value_html;
  html += "</dd>\n";
}

}  // namespace benchwire::gateway
