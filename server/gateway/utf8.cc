#include "server/gateway/utf8.h"

namespace benchwire::gateway {
namespace {

constexpr char32_t kBad = 0xFFFD;

// Length of the well-formed sequence at the start of `text`, 0 where there is none; its code point in `out`.
size_t Decode(std::string_view text, char32_t& out) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    out = lead;
    return 1;
  }
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  out = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return 0;
    out = (out << 6) | (next & 0x3F);
  }
  const bool overlong = (length == 3 && out < 0x800) || (length == 4 && out < 0x10000);
  return overlong || out > 0x10FFFF || (out >= 0xD800 && out <= 0xDFFF) ? 0 : length;
}

}  // namespace

char32_t NextCodePoint(std::string_view text, size_t& position) {
  char32_t code_point = kBad;
  const size_t length = Decode(text.substr(position), code_point);
  position += length == 0 ? 1 : length;
  return length == 0 ? kBad : code_point;
}

char32_t LastCodePoint(std::string_view text) {
  if (text.empty()) return 0;
  size_t position = text.size() - 1;
  while (position > 0 && text.size() - position < 4 && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) {
    --position;
  }
  return NextCodePoint(text, position);
}

void AppendCodePoint(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kBad;
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    char32_t ignored = 0;
    const size_t length = Decode(text, ignored);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToUtf8(std::string_view bytes) {
  std::string out;
  for (size_t position = 0; position < bytes.size();) AppendCodePoint(out, NextCodePoint(bytes, position));
  return out;
}

bool IsWide(char32_t c) {
  return (c >= 0x2E80 && c <= 0x312F) || (c >= 0x31A0 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE4F) || (c >= 0xFF01 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x20000 && c <= 0x3FFFD);
}

}  // namespace benchwire::gateway
