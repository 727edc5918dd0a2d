#include "server/gateway/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "server/gateway/entities.h"
#include "server/gateway/html.h"
#include "server/gateway/linkify.h"
#include "server/gateway/utf8.h"

namespace benchwire::gateway {
namespace {

// Headings of an entry stand below its title, which is an h2.
constexpr unsigned kHeadingOffset = 2;

// A table row is padded to the width of its head, so that a small text can ask for gigabytes.
constexpr size_t kMaxHtmlBytes = 4 << 20;

std::string Decode(const MD_ATTRIBUTE& attribute) {
  std::string out;
  for (size_t i = 0; attribute.text != nullptr && attribute.substr_offsets[i] < attribute.size; ++i) {
    const std::string_view part(attribute.text + attribute.substr_offsets[i],
                                attribute.substr_offsets[i + 1] - attribute.substr_offsets[i]);
    switch (attribute.substr_types[i]) {
      case MD_TEXT_ENTITY:
        out += DecodeEntity(part);
        break;
      case MD_TEXT_NULLCHAR:
        AppendCodePoint(out, 0xFFFD);
        break;
      default:
        out += part;
        break;
    }
  }
  return out;
}

const char* AlignClass(MD_ALIGN align) {
  return align == MD_ALIGN_CENTER ? " class=\"center\"" : align == MD_ALIGN_RIGHT ? " class=\"right\"" : "";
}

class HtmlWriter {
 public:
  void EnterBlock(MD_BLOCKTYPE type, void* detail) {
    FlushText();
    last_ = 0;
    switch (type) {
      case MD_BLOCK_QUOTE:
        out_ += "<blockquote>\n";
        break;
      case MD_BLOCK_UL:
        out_ += "<ul>\n";
        break;
      case MD_BLOCK_OL: {
        const unsigned start = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start;
        out_ += start == 1 ? "<ol>\n" : "<ol start=\"" + std::to_string(start) + "\">\n";
        break;
      }
      case MD_BLOCK_LI:
        out_ += "<li>";
        break;
      case MD_BLOCK_HR:
        out_ += "<hr>\n";
        break;
      case MD_BLOCK_H:
        out_ += "<h" + Level(detail) + ">";
        break;
      case MD_BLOCK_CODE:
        out_ += "<pre><code>";
        ++code_;
        break;
      case MD_BLOCK_P:
        out_ += "<p>";
        break;
      case MD_BLOCK_TABLE:
        out_ += "<div class=\"table\"><table>\n";
        break;
      case MD_BLOCK_THEAD:
        out_ += "<thead>\n";
        break;
      case MD_BLOCK_TBODY:
        out_ += "<tbody>\n";
        break;
      case MD_BLOCK_TR:
        out_ += "<tr>";
        break;
      case MD_BLOCK_TH:
        out_ += Cell("<th", detail);
        break;
      case MD_BLOCK_TD:
        out_ += Cell("<td", detail);
        break;
      case MD_BLOCK_DOC:
      case MD_BLOCK_HTML:
        break;
    }
  }

  void LeaveBlock(MD_BLOCKTYPE type, void* detail) {
    FlushText();
    break_at_.reset();
    last_ = 0;
    switch (type) {
      case MD_BLOCK_QUOTE:
        out_ += "</blockquote>\n";
        break;
      case MD_BLOCK_UL:
        out_ += "</ul>\n";
        break;
      case MD_BLOCK_OL:
        out_ += "</ol>\n";
        break;
      case MD_BLOCK_LI:
        out_ += "</li>\n";
        break;
      case MD_BLOCK_H:
        out_ += "</h" + Level(detail) + ">\n";
        break;
      case MD_BLOCK_CODE:
        out_ += "</code></pre>\n";
        --code_;
        break;
      case MD_BLOCK_P:
        out_ += "</p>\n";
        break;
      case MD_BLOCK_TABLE:
        out_ += "</table></div>\n";
        break;
      case MD_BLOCK_THEAD:
        out_ += "</thead>\n";
        break;
      case MD_BLOCK_TBODY:
        out_ += "</tbody>\n";
        break;
      case MD_BLOCK_TR:
        out_ += "</tr>\n";
        break;
      case MD_BLOCK_TH:
        out_ += "</th>";
        break;
      case MD_BLOCK_TD:
        out_ += "</td>";
        break;
      case MD_BLOCK_DOC:
      case MD_BLOCK_HR:
      case MD_BLOCK_HTML:
        break;
    }
  }

  void EnterSpan(MD_SPANTYPE type, void* detail) {
    FlushText();
    switch (type) {
      case MD_SPAN_EM:
        out_ += "<em>";
        break;
      case MD_SPAN_STRONG:
        out_ += "<strong>";
        break;
      case MD_SPAN_DEL:
        out_ += "<del>";
        break;
      case MD_SPAN_CODE:
        ResolveBreak(0);  // A code span keeps the space before it, whatever it holds.
        out_ += "<code>";
        ++code_;
        break;
      case MD_SPAN_A:
        OpenLink(Decode(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        break;
      case MD_SPAN_IMG:
        OpenLink(Decode(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        break;
      default:
        break;
    }
  }

  void LeaveSpan(MD_SPANTYPE type) {
    FlushText();
    switch (type) {
      case MD_SPAN_EM:
        out_ += "</em>";
        break;
      case MD_SPAN_STRONG:
        out_ += "</strong>";
        break;
      case MD_SPAN_DEL:
        out_ += "</del>";
        break;
      case MD_SPAN_CODE:
        out_ += "</code>";
        --code_;
        last_ = 0;
        break;
      case MD_SPAN_A:
      case MD_SPAN_IMG:
        CloseLink();
        break;
      default:
        break;
    }
  }

  void Text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_NULLCHAR:
        AppendCodePoint(text_, 0xFFFD);
        break;
      case MD_TEXT_BR:
        FlushText();
        out_ += "<br>\n";
        last_ = 0;
        break;
      case MD_TEXT_SOFTBR:
        FlushText();
        break_at_ = out_.size();
        break;
      case MD_TEXT_ENTITY:
        text_ += DecodeEntity(text);
        break;
      default:
        text_ += text;
        break;
    }
  }

  // Not 0 ends the parsing.
  int IsTooLarge() const { return out_.size() > kMaxHtmlBytes ? 1 : 0; }

  std::string Take() { return std::move(out_); }

 private:
  static std::string Level(void* detail) {
    return std::to_string(std::min(6U, static_cast<MD_BLOCK_H_DETAIL*>(detail)->level + kHeadingOffset));
  }

  static std::string Cell(const std::string& tag, void* detail) {
    return tag + AlignClass(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align) + ">";
  }

  // Links do not nest in HTML; an image within a link is part of it.
  void OpenLink(const std::string& url) {
    const bool opens = IsSafeUrl(url) && std::find(links_.begin(), links_.end(), true) == links_.end();
    links_.push_back(opens);
    if (opens) out_ += "<a href=\"" + Escape(url) + "\" rel=\"noopener nofollow\">";
  }

  void CloseLink() {
    if (links_.back()) out_ += "</a>";
    links_.pop_back();
  }

  // Decides on a line break by the characters around it: `next`, and the one before.
  void ResolveBreak(char32_t next) {
    if (!break_at_) return;
    if (!IsWide(last_) || !IsWide(next)) out_.insert(*break_at_, "\n");
    break_at_.reset();
  }

  void FlushText() {
    if (text_.empty()) return;
    size_t position = 0;
    ResolveBreak(code_ > 0 ? 0 : NextCodePoint(text_, position));
    last_ = code_ > 0 ? 0 : LastCodePoint(text_);
    out_ += code_ > 0 || !links_.empty() ? Escape(text_) : Linkify(text_);
    text_.clear();
  }

  std::string out_;
  std::string text_;  // Running text not yet written: md4c hands it over in pieces.
  std::optional<size_t> break_at_;
  char32_t last_ = 0;        // Last character of running text in the block.
  int code_ = 0;             // Within code.
  std::vector<bool> links_;  // Open link spans, and whether each became an element.
};

HtmlWriter& Writer(void* user_data) { return *static_cast<HtmlWriter*>(user_data); }

}  // namespace

std::string MarkdownToHtml(std::string_view markdown) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    Writer(user).EnterBlock(type, detail);
    return Writer(user).IsTooLarge();
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    Writer(user).LeaveBlock(type, detail);
    return Writer(user).IsTooLarge();
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    Writer(user).EnterSpan(type, detail);
    return Writer(user).IsTooLarge();
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    Writer(user).LeaveSpan(type);
    return Writer(user).IsTooLarge();
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    Writer(user).Text(type, {text, size});
    return Writer(user).IsTooLarge();
  };
  HtmlWriter writer;
  const std::string text = ToUtf8(markdown);
  if (md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &writer) != 0) {
    // Too large, or out of memory within md4c: the text is worth more than its form.
    return "<pre>" + Escape(text) + "</pre>\n";
  }
  return writer.Take();
}

}  // namespace benchwire::gateway
