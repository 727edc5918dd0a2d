// UTF-8 as code points, and which of them are wide. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_UTF8_H_
#define BENCHWIRE_SERVER_GATEWAY_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace benchwire::gateway {

// The code point at `position`, which moves behind it. An ill-formed byte gives U+FFFD and moves by one.
char32_t NextCodePoint(std::string_view text, size_t& position);
// The last code point, U+0000 where the text is empty.
char32_t LastCodePoint(std::string_view text);
void AppendCodePoint(std::string& out, char32_t code_point);

// Well-formed: no overlong forms, no surrogates.
bool IsUtf8(std::string_view text);
// Each ill-formed byte replaced by U+FFFD.
std::string ToUtf8(std::string_view bytes);

// Chinese and Japanese letters, their punctuation and the full-width forms: what is written without spaces between
// words. Hangul is not among them.
bool IsWide(char32_t code_point);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_UTF8_H_
