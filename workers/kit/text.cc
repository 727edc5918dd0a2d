#include "workers/kit/text.h"

namespace benchwire::kit {

std::string CleanText(const std::string& text, std::size_t limit, char instead) {
  std::string clean = text.substr(0, limit);
  if (clean.size() < text.size()) {
    // Never cut inside a character: drop its leading bytes too.
    while (!clean.empty() && (static_cast<unsigned char>(text[clean.size()]) & 0xC0) == 0x80) clean.pop_back();
  }
  for (char& byte : clean) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = instead;
  }
  return clean;
}

std::string Quoted(const std::string& text) {
  const std::string shown = CleanText(text, 80, '?');
  return "\"" + shown + (shown.size() < text.size() ? "…" : "") + "\"";
}

}  // namespace benchwire::kit
