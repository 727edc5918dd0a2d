#include "server/gateway/http_head_check.h"

#include <algorithm>

#include "server/gateway/http_types.h"

namespace benchwire::gateway {
namespace {

constexpr int kMaxFields = 100;

bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsToken(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar); }

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// No CR or LF but as CRLF, no other control character but the tab.
bool HasStrayControl(std::string_view head) {
  for (size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    if (c == '\r') {
      if (i + 1 >= head.size() || head[i + 1] != '\n') return true;
      ++i;
    } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
      return true;
    }
  }
  return false;
}

std::string CheckRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return "the request line is not `METHOD TARGET HTTP/1.1`";
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(line.substr(0, first))) return "the method is not a token";
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return "the version is not HTTP/1.0 or HTTP/1.1";
  if (target.empty() || target.front() != '/') return "the request target does not begin with /";
  const auto is_plain = [](char c) { return c > 0x20 && c < 0x7f && c != '#'; };
  if (!std::all_of(target.begin(), target.end(), is_plain)) {
    return "the request target holds a character that must be percent-encoded";
  }
  return "";
}

struct FieldCounts {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
};

std::string CheckField(std::string_view line, bool http_1_0, FieldCounts& counts) {
  if (line.front() == ' ' || line.front() == '\t') return "a header field is folded over two lines";
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return "a header field has no valid name";
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (EqualsIgnoreCase(name, "Host") && ++counts.hosts > 1) return "more than one Host";
  if (EqualsIgnoreCase(name, "Content-Length")) {
    if (++counts.lengths > 1) return "more than one Content-Length";
    if (!IsDigits(value)) return "Content-Length is not a number";
  }
  if (EqualsIgnoreCase(name, "Transfer-Encoding")) {
    if (++counts.codings > 1) return "more than one Transfer-Encoding";
    if (http_1_0) return "Transfer-Encoding in HTTP/1.0";
    if (!EqualsIgnoreCase(value, "chunked")) return "a Transfer-Encoding other than chunked";
  }
  return "";
}

}  // namespace

std::string CheckHead(std::string_view head) {
  if (HasStrayControl(head)) return "a control character in the head";
  size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return "no end of line";
  const std::string_view request_line = head.substr(0, end);
  if (std::string error = CheckRequestLine(request_line); !error.empty()) return error;
  const bool http_1_0 = request_line.ends_with("1.0");
  FieldCounts counts;
  head.remove_prefix(end + 2);
  for (int fields = 0; !head.starts_with("\r\n"); ++fields) {
    if (fields == kMaxFields) return "more than 100 header fields";
    end = head.find("\r\n");
    if (end == std::string_view::npos) return "no end of line";
    if (std::string error = CheckField(head.substr(0, end), http_1_0, counts); !error.empty()) return error;
    head.remove_prefix(end + 2);
  }
  if (counts.lengths > 0 && counts.codings > 0) return "both Content-Length and Transfer-Encoding";
  return "";
}

}  // namespace benchwire::gateway
