// The frame around every page. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_PAGE_LAYOUT_H_
#define BENCHWIRE_SERVER_GATEWAY_PAGE_LAYOUT_H_

#include <string>

#include "server/gateway/words.h"

namespace benchwire::gateway {

struct PageFrame {
  std::string title;  // Plain text.
  std::string path;   // Of this page, for the language links.
  Language language = Language::kBoth;
  std::string live;  // What app.js follows: `jobs`, `jobs/J`, or empty for a page without script.
};

// A whole document around `main`, which is HTML.
std::string Layout(const PageFrame& frame, const std::string& main);

// The language in a query such as `lang=zh`; both where there is none or it is not known.
Language ParseLanguage(const std::string& query);
// `?lang=zh`, or nothing for both.
std::string LanguageQuery(Language language);

// A text in the languages wanted, each as `<TAG lang="…">`. Where the wanted language has no text the other is shown.
std::string Localized(const v1::LocalizedText& text, Language language, const std::string& tag);
// In one language, plain.
std::string PlainText(const v1::LocalizedText& text, Language language);

// A page that says what went wrong.
std::string ErrorPage(const PageFrame& frame, int http_status, const std::string& message);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_PAGE_LAYOUT_H_
