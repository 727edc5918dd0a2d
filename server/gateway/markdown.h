// Markdown of entries as HTML. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_MARKDOWN_H_
#define BENCHWIRE_SERVER_GATEWAY_MARKDOWN_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// CommonMark with tables and strikethrough, parsed by md4c. The writer is an allow-list: it knows p, h3 to h6, ul, ol,
// li, blockquote, pre, code, em, strong, del, hr, br, table parts and a; raw HTML is shown as text, images become
// links, a link whose scheme is not http, https or mailto becomes its text. Bare addresses become links (see
// linkify.h). A line break between two wide characters joins them without a space; any other is a space.
// A text whose HTML would exceed 4 MiB is shown as it was written.
std::string MarkdownToHtml(std::string_view markdown);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_MARKDOWN_H_
