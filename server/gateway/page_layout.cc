#include "server/gateway/page_layout.h"

#include "server/gateway/html.h"

namespace benchwire::gateway {
namespace {

std::string LanguageLink(const PageFrame& frame, Language language, const char* code, const char* text) {
  if (frame.language == language) return std::string("<span aria-current=\"true\">") + text + "</span>";
  return "<a href=\"" + Escape(frame.path + LanguageQuery(language)) + "\" lang=\"" + code + "\">" + text + "</a>";
}

}  // namespace

std::string Layout(const PageFrame& frame, const std::string& main) {
  const Words& words = WordsFor(frame.language);
  const std::string query = LanguageQuery(frame.language);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"" + std::string(words.code) + "\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<title>" + Escape(frame.title.empty() ? "Benchwire" : frame.title + " · Benchwire") + "</title>\n";
  page += "<link rel=\"stylesheet\" href=\"/static/style.css\">\n";
  if (!frame.live.empty()) page += "<script src=\"/static/app.js\" defer></script>\n";
  page += "</head>\n<body data-live=\"" + Escape(frame.live) + "\">\n<header class=\"site\"><div>\n";
  page += "<a class=\"brand\" href=\"/" + query + "\">Benchwire</a>\n<nav>";
  page += "<a href=\"/" + query + "\">" + words.digest + "</a> <a href=\"/jobs" + query + "\">" + words.jobs + "</a>";
  page += "</nav>\n<nav class=\"languages\">";
  page += LanguageLink(frame, Language::kChinese, "zh", "中文") + " ";
  page += LanguageLink(frame, Language::kEnglish, "en", "English") + " ";
  page += LanguageLink(frame, Language::kBoth, words.code, words.both);
  page += "</nav>\n</div></header>\n<main>\n" + main + "</main>\n";
  page += "<footer>" + Escape(words.tagline) + "</footer>\n</body>\n</html>\n";
  return page;
}

Language ParseLanguage(const std::string& query) {
  const std::string padded = "&" + query + "&";
  if (padded.find("&lang=zh&") != std::string::npos) return Language::kChinese;
  if (padded.find("&lang=en&") != std::string::npos) return Language::kEnglish;
  return Language::kBoth;
}

std::string LanguageQuery(Language language) {
  switch (language) {
    case Language::kChinese:
      return "?lang=zh";
    case Language::kEnglish:
      return "?lang=en";
    case Language::kBoth:
      break;
  }
  return "";
}

std::string Localized(const v1::LocalizedText& text, Language language, const std::string& tag) {
  const bool zh = !text.zh().empty() && (language != Language::kEnglish || text.en().empty());
  const bool en = !text.en().empty() && (language != Language::kChinese || text.zh().empty());
  std::string html;
  if (zh) html += "<" + tag + " lang=\"zh\">" + Escape(text.zh()) + "</" + tag + ">\n";
  if (en) html += "<" + tag + " lang=\"en\">" + Escape(text.en()) + "</" + tag + ">\n";
  return html;
}

std::string PlainText(const v1::LocalizedText& text, Language language) {
  if (language == Language::kEnglish) return text.en().empty() ? text.zh() : text.en();
  return text.zh().empty() ? text.en() : text.zh();
}

std::string ErrorPage(const PageFrame& frame, int http_status, const std::string& message) {
  const Words& words = WordsFor(frame.language);
  const bool missing = http_status == 404;
  std::string main = "<article class=\"error\"><h1>" + std::to_string(http_status) + " · ";
  main += Escape(missing ? words.not_found : "Error") + "</h1>\n";
  main += "<p>" + Escape(missing ? words.not_found_hint : message) + "</p>\n";
  main += "<p><a href=\"/" + LanguageQuery(frame.language) + "\">" + words.digest + "</a></p></article>\n";
  return Layout(frame, main);
}

}  // namespace benchwire::gateway
