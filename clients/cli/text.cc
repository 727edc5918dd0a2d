#include "clients/cli/text.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

namespace benchwire::cli {
namespace {

constexpr UChar32 kEmojiVariation = 0xFE0F;
constexpr UChar32 kZeroWidthJoiner = 0x200D;

int CodePointWidth(UChar32 c) {
  switch (u_charType(c)) {
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_FORMAT_CHAR:
    case U_CONTROL_CHAR:
      return 0;
    default:
      break;
  }
  const int syllable = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
  const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

int ClusterWidth(const icu::UnicodeString& cluster) {
  int sum = 0;
  int code_points = 0;
  bool pictograph = false;
  bool joined = false;
  for (int32_t i = 0; i < cluster.length(); i = cluster.moveIndex32(i, 1)) {
    const UChar32 c = cluster.char32At(i);
    sum += CodePointWidth(c);
    ++code_points;
    if (u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC)) pictograph = true;
    if (c == kEmojiVariation || c == kZeroWidthJoiner || u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER)) joined = true;
  }
  const bool flag = code_points == 2 && u_hasBinaryProperty(cluster.char32At(0), UCHAR_REGIONAL_INDICATOR);
  const bool keycap = cluster.indexOf(kEmojiVariation) >= 0 && cluster.indexOf(UChar32{0x20E3}) >= 0;
  return flag || keycap || (pictograph && joined) ? 2 : sum;
}

// Calls `take` with each grapheme cluster until it returns false.
void ForEachCluster(std::string_view text, const std::function<bool(const icu::UnicodeString&)>& take) {
  const icu::UnicodeString unicode =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), error));
  if (U_FAILURE(error)) {  // ICU without its data: code points are the best there is.
    for (int32_t i = 0; i < unicode.length(); i = unicode.moveIndex32(i, 1)) {
      if (!take(icu::UnicodeString(unicode.char32At(i)))) return;
    }
    return;
  }
  breaks->setText(unicode);
  int32_t start = breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; start = end, end = breaks->next()) {
    if (!take(icu::UnicodeString(unicode, start, end - start))) return;
  }
}

std::string Utf8(const icu::UnicodeString& text) {
  std::string out;
  text.toUTF8String(out);
  return out;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool IsDangerous(UChar32 c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;
  if (c == 0x2028 || c == 0x2029) return true;  // Line and paragraph separators.
  // Marks and isolates that reorder what is shown (the "Trojan Source" characters).
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
}

std::string Escaped(UChar32 c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, c < 0x100 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(c));
  return buffer;
}

std::string Harmless(std::string_view text, bool keep_lines) {
  if (IsAscii(text)) return std::string(text);
  const icu::UnicodeString unicode =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  std::string out;
  for (int32_t i = 0; i < unicode.length(); i = unicode.moveIndex32(i, 1)) {
    const UChar32 c = unicode.char32At(i);
    if (keep_lines && c == '\r' && i + 1 < unicode.length() && unicode.charAt(i + 1) == u'\n') continue;
    if (keep_lines && c == '\n') {
      out += '\n';
    } else if (keep_lines && c == '\t') {
      out += "    ";
    } else if (IsDangerous(c)) {
      out += Escaped(c);
    } else {
      icu::UnicodeString(c).toUTF8String(out);
    }
  }
  return out;
}

// Appends `line` (without line breaks) to `out`, broken.
void WrapLine(std::string_view line, int cells, std::string_view indent, std::string& out) {
  const int room = std::max(1, cells - DisplayWidth(indent));
  std::string current;
  std::string word;
  int current_width = 0;
  int word_width = 0;
  auto flush_word = [&] {
    if (current_width > 0 && current_width + word_width > room) {
      while (!current.empty() && current.back() == ' ') current.pop_back();
      out.append(indent).append(current).append("\n");
      current.clear();
      current_width = 0;
    }
    current += word;
    current_width += word_width;
    word.clear();
    word_width = 0;
  };
  ForEachCluster(line, [&](const icu::UnicodeString& cluster) {
    const int width = ClusterWidth(cluster);
    const std::string bytes = Utf8(cluster);
    if (bytes == " ") {
      flush_word();
      if (current_width < room) {
        current += ' ';
        ++current_width;
      }
      return true;
    }
    // Closing punctuation stays with what it closes.
    const bool closes = u_charType(cluster.char32At(0)) == U_END_PUNCTUATION ||
                        u_getIntPropertyValue(cluster.char32At(0), UCHAR_LINE_BREAK) == U_LB_CLOSE_PUNCTUATION;
    if (width == 2 && !closes) flush_word();
    word += bytes;
    word_width += width;
    return true;
  });
  flush_word();
  while (!current.empty() && current.back() == ' ') current.pop_back();
  if (!current.empty()) out.append(indent).append(current);
}

}  // namespace

int DisplayWidth(std::string_view text) {
  if (IsAscii(text)) return static_cast<int>(text.size());
  int width = 0;
  ForEachCluster(text, [&](const icu::UnicodeString& cluster) {
    width += ClusterWidth(cluster);
    return true;
  });
  return width;
}

std::string CutToWidth(std::string_view text, int cells) {
  if (cells <= 0) return "";
  if (DisplayWidth(text) <= cells) return std::string(text);
  std::string out;
  int used = 0;
  ForEachCluster(text, [&](const icu::UnicodeString& cluster) {
    const int width = ClusterWidth(cluster);
    if (used + width > cells - 1) return false;
    out += Utf8(cluster);
    used += width;
    return true;
  });
  return out + "…";
}

std::string PadTo(std::string_view text, int cells, bool align_right) {
  const int missing = cells - DisplayWidth(text);
  const std::string spaces(static_cast<size_t>(std::max(0, missing)), ' ');
  return align_right ? spaces + std::string(text) : std::string(text) + spaces;
}

std::string OneLine(std::string_view text) { return Harmless(text, false); }

std::string ManyLines(std::string_view text) { return Harmless(text, true); }

std::string WrapTo(std::string_view text, int cells, std::string_view indent) {
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (cells <= 0) {
      if (!line.empty()) out.append(indent).append(line);
    } else {
      WrapLine(line, cells, indent, out);
    }
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace benchwire::cli
