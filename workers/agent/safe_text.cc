#include "workers/agent/safe_text.h"

#include <cstdint>

namespace benchwire::agent {
namespace {

// Length of the well-formed UTF-8 sequence (RFC 3629) at the start of `bytes`, 0 where there is none.
size_t SequenceLength(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = at(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string SafeText(std::string_view bytes, size_t max) {
  static constexpr char kDigits[] = "0123456789abcdef";
  static constexpr std::string_view kCut = "…";
  std::string out;
  // Where the mark of a cut still fits.
  size_t cut = 0;
  while (!bytes.empty()) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    const size_t length = SequenceLength(bytes);
    std::string piece;
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      piece = {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      bytes.remove_prefix(1);
    } else {
      piece = bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
    if (out.size() + kCut.size() <= max) cut = out.size();
    if (out.size() + piece.size() > max) {
      out.resize(cut);
      return out.append(kCut);
    }
    out += piece;
  }
  return out;
}

}  // namespace benchwire::agent
