#include "server/gateway/url.h"

#include "server/base/status.h"
#include "server/gateway/utf8.h"

namespace benchwire::gateway {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

absl::StatusOr<std::string> PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
      if (low < 0) return BadField("url", std::string(text), "`%` followed by two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') {
      return BadField("url", std::string(text), "no control characters");
    }
    out += c;
  }
  if (!IsUtf8(out)) return BadField("url", std::string(text), "percent-encoded UTF-8");
  return out;
}

absl::StatusOr<QueryParameters> ParseQuery(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const size_t end = query.find('&');
    std::string pair(query.substr(0, end));
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (pair.empty()) continue;
    for (char& c : pair) {
      if (c == '+') c = ' ';
    }
    const size_t equals = pair.find('=');
    ASSIGN_OR_RETURN(std::string name, PercentDecode(std::string_view(pair).substr(0, equals)));
    std::string value;
    if (equals != std::string::npos) {
      ASSIGN_OR_RETURN(value, PercentDecode(std::string_view(pair).substr(equals + 1)));
    }
    parameters.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

std::string PercentEncode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool unreserved = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                            c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

}  // namespace benchwire::gateway
