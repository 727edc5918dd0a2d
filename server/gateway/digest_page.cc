#include "server/gateway/digest_page.h"

#include "server/gateway/claim_view.h"
#include "server/gateway/html.h"
#include "server/gateway/markdown.h"
#include "server/gateway/page_layout.h"

namespace benchwire::gateway {
namespace {

// `2026-01-14` of `digests/2026-01-14/editions/2`.
std::string DayOf(const std::string& name) {
  const size_t start = name.find('/') + 1;
  return name.substr(start, name.find('/', start) - start);
}

std::string DigestPath(const std::string& name) { return "/digests/" + DayOf(name); }

std::string Body(const v1::LocalizedText& body, Language language) {
  const bool zh = !body.zh().empty() && (language != Language::kEnglish || body.en().empty());
  const bool en = !body.en().empty() && (language != Language::kChinese || body.zh().empty());
  std::string html;
  if (zh) html += "<div class=\"body\" lang=\"zh\">\n" + MarkdownToHtml(body.zh()) + "</div>\n";
  if (en) html += "<div class=\"body\" lang=\"en\">\n" + MarkdownToHtml(body.en()) + "</div>\n";
  return html;
}

std::string Sources(const v1::Entry& entry, Language language) {
  if (entry.sources().empty()) return "";
  std::string html = "<p class=\"sources\">" + std::string(WordsFor(language).sources) + ": ";
  for (int i = 0; i < entry.sources_size(); ++i) {
    const v1::Source& source = entry.sources(i);
    if (i > 0) html += " · ";
    html += Link(source.uri(), source.title().empty() ? source.uri() : source.title(), /*internal=*/false);
  }
  return html + "</p>\n";
}

std::string EntryView(const v1::Entry& entry, Language language) {
  const std::string id = entry.name().substr(entry.name().rfind('/') + 1);
  std::string html = "<article class=\"entry\" id=\"" + Escape(id) + "\">\n<p class=\"kicker\">";
  if (!entry.category().empty()) html += Element("span", "category", entry.category());
  for (const std::string& tag : entry.tags()) html += " " + Element("span", "tag", tag);
  html += "</p>\n<h2>" + Localized(entry.title(), language, "span") + "</h2>\n";
  if (!entry.authors().empty()) {
    std::string authors;
    for (const std::string& author : entry.authors()) authors += (authors.empty() ? "" : ", ") + author;
    html += Element("p", "authors", authors) + "\n";
  }
  html += Body(entry.body(), language) + Sources(entry, language);
  for (const v1::Claim& claim : entry.claims()) html += ClaimView(claim, language);
  return html + "</article>\n";
}

std::string EditionView(const v1::Edition& edition, Language language) {
  const Words& words = WordsFor(language);
  const std::string number = edition.name().substr(edition.name().rfind('/') + 1);
  const std::string day = DayOf(edition.name());
  const v1::LocalizedText& title = edition.title();
  std::string html =
      "<header class=\"edition\">\n<p class=\"date\"><time datetime=\"" + Escape(day) + "\">" + Escape(day);
  html += "</time></p>\n<h1>";
  html += title.zh().empty() && title.en().empty() ? Escape(day) : Localized(title, language, "span");
  html += "</h1>\n<p class=\"meta\">" + std::string(words.edition) + " ";
  html += Link("/" + edition.name() + LanguageQuery(language), number, /*internal=*/true);
  html += " · " + std::string(words.published) + " " + Escape(FormatTime(edition.publish_time()));
  html += " · " + Link("/v1/" + edition.name(), "JSON", /*internal=*/true) + "</p>\n";
  if (!edition.note().empty()) html += Element("p", "note", edition.note()) + "\n";
  html += "</header>\n";
  for (const v1::Entry& entry : edition.entries()) html += EntryView(entry, language);
  return html;
}

std::string DigestList(const v1::ListDigestsResponse& digests, const std::string& except, Language language) {
  std::string items;
  for (const v1::Digest& digest : digests.digests()) {
    if (digest.latest_edition() == 0 || digest.name() == except) continue;
    const std::string day = DayOf(digest.name());
    const std::string title = PlainText(digest.title(), language);
    items += "<li><time datetime=\"" + Escape(day) + "\">" + Escape(day) + "</time> ";
    items += Link(DigestPath(digest.name()) + LanguageQuery(language), title.empty() ? day : title, true) + "</li>\n";
  }
  if (items.empty()) return "";
  return "<section class=\"earlier\">\n<h2>" + std::string(WordsFor(language).earlier) + "</h2>\n<ul>\n" + items +
         "</ul>\n</section>\n";
}

std::string RunningJobs(Language language) {
  const Words& words = WordsFor(language);
  std::string html = "<section class=\"running\">\n<h2>" + std::string(words.running) + "</h2>\n";
  html += "<ul id=\"running\" data-empty=\"" + Escape(words.nothing_running) + "\"></ul>\n";
  html += "<noscript><p>" + std::string(words.need_script) + "</p></noscript>\n";
  return html + "<p><a href=\"/jobs" + LanguageQuery(language) + "\">" + words.jobs + "</a></p>\n</section>\n";
}

std::string TitleOf(const v1::LocalizedText& title, const std::string& day, Language language) {
  const std::string text = PlainText(title, language);
  return text.empty() ? day : day + " " + text;
}

}  // namespace

std::string HomePage(const v1::Digest* latest, const v1::ListDigestsResponse& digests, Language language) {
  PageFrame frame{.title = "", .path = "/", .language = language, .live = "jobs"};
  std::string main;
  if (latest == nullptr) {
    main = "<p class=\"empty\">" + std::string(WordsFor(language).nothing_published) + "</p>\n";
  } else {
    main = EditionView(latest->edition(), language);
    frame.title = TitleOf(latest->edition().title(), DayOf(latest->name()), language);
  }
  main += RunningJobs(language);
  main += DigestList(digests, latest == nullptr ? "" : latest->name(), language);
  return Layout(frame, main);
}

std::string DigestPage(const v1::Digest& digest, Language language) {
  const std::string title = TitleOf(digest.edition().title(), DayOf(digest.name()), language);
  const PageFrame frame{.title = title, .path = DigestPath(digest.name()), .language = language, .live = ""};
  return Layout(frame, EditionView(digest.edition(), language));
}

std::string EditionPage(const v1::Edition& edition, Language language) {
  const std::string title = TitleOf(edition.title(), DayOf(edition.name()), language);
  const PageFrame frame{.title = title, .path = "/" + edition.name(), .language = language, .live = ""};
  const std::string latest =
      Link(DigestPath(edition.name()) + LanguageQuery(language), WordsFor(language).latest, true);
  return Layout(frame, EditionView(edition, language) + "<p class=\"meta\">" + latest + "</p>\n");
}

}  // namespace benchwire::gateway
