#include "server/gateway/linkify.h"

#include <algorithm>

#include "server/gateway/html.h"
#include "server/gateway/http_types.h"

namespace benchwire::gateway {
namespace {

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsUrlChar(char c) {
  return c > 0x20 && c < 0x7f && std::string_view("<>\"`{}|\\^").find(c) == std::string_view::npos;
}

// Length of `http://` or `https://` at the start, else 0.
size_t SchemeLength(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.size() > scheme.size() && EqualsIgnoreCase(text.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

size_t UrlLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsUrlChar(text[length])) ++length;
  std::string_view url = text.substr(0, length);
  const auto count = [&url](char c) { return std::count(url.begin(), url.end(), c); };
  for (bool trimmed = true; trimmed && !url.empty();) {
    const char last = url.back();
    trimmed = std::string_view(".,:;!?'*_~").find(last) != std::string_view::npos ||
              (last == ')' && count(')') > count('(')) || (last == ']' && count(']') > count('['));
    if (trimmed) url.remove_suffix(1);
  }
  return url.size();
}

}  // namespace

std::string Linkify(std::string_view text) {
  std::string out;
  size_t plain = 0;  // Everything before is in `out`.
  for (size_t i = 0; i < text.size();) {
    const bool may_start = (text[i] == 'h' || text[i] == 'H') && (i == 0 || !IsAlphanumeric(text[i - 1]));
    const size_t scheme = may_start ? SchemeLength(text.substr(i)) : 0;
    const size_t length = scheme > 0 ? UrlLength(text.substr(i)) : 0;
    if (length <= scheme || !IsAlphanumeric(text[i + scheme])) {
      ++i;
      continue;
    }
    out += Escape(text.substr(plain, i - plain));
    out += Link(text.substr(i, length), text.substr(i, length), /*internal=*/false);
    i += length;
    plain = i;
  }
  return out + Escape(text.substr(plain));
}

}  // namespace benchwire::gateway
