#include "server/gateway/log_text.h"

#include <algorithm>

#include "server/gateway/utf8.h"

namespace benchwire::gateway {
namespace {

constexpr char kEscape = '\x1b';

// Behind the escape sequence at `i` (ECMA-48): CSI to its final byte, OSC to BEL or ST, else two characters.
size_t SkipEscape(std::string_view log, size_t i) {
  if (i + 1 >= log.size()) return log.size();
  if (log[i + 1] == '[') {
    for (i += 2; i < log.size(); ++i) {
      if (log[i] >= '@' && log[i] <= '~') return i + 1;
    }
    return log.size();
  }
  if (log[i + 1] == ']') {
    for (i += 2; i < log.size(); ++i) {
      if (log[i] == '\a') return i + 1;
      if (log[i] == kEscape) return std::min(i + 2, log.size());
    }
    return log.size();
  }
  return i + 2;
}

}  // namespace

std::string LogToText(std::string_view log) {
  std::string out;
  size_t line = 0;  // Where the current line begins in `out`.
  bool returned = false;
  for (size_t i = 0; i < log.size();) {
    const char c = log[i];
    if (c == kEscape) {
      i = SkipEscape(log, i);
      continue;
    }
    ++i;
    if (c == '\r') {
      returned = true;
    } else if (c == '\n') {
      out += c;
      line = out.size();
      returned = false;
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') {
      if (returned) out.resize(line);
      returned = false;
      if (c != '\x7f') out += c;
    }
  }
  return ToUtf8(out);
}

}  // namespace benchwire::gateway
