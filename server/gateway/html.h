// Small pieces of HTML. Whatever comes from outside goes through Escape; there is no other way into a page but
// Markdown. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTML_H_
#define BENCHWIRE_SERVER_GATEWAY_HTML_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// Safe as text and inside a quoted attribute.
std::string Escape(std::string_view text);

// Whether a link may lead there: http, https or mailto, in any case, and nothing a browser would skip in front.
bool IsSafeUrl(std::string_view url);

// A link with escaped text. `internal`: to a path of this server, else to the world (`rel="noopener nofollow"`). The
// text alone where the address is not safe.
std::string Link(std::string_view url, std::string_view text, bool internal);

// `<NAME class="CLASS">TEXT</NAME>` with the text escaped.
std::string Element(const std::string& name, const std::string& css_class, std::string_view text);

// Adds a row of a list of facts (`<dl>`): the label escaped, the value as it is. Nothing where the value is empty.
void AddFact(std::string& html, std::string_view label, std::string_view value_html);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTML_H_
