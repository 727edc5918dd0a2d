// benchwire digests …
#include <benchwire/v1/digest_service.pb.h>

#include <limits>
#include <memory>

#include "clients/cli/commands.h"
#include "clients/cli/digest_view.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/names.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

using Text = std::optional<std::string>;

struct DigestOptions {
  std::string digest;
  bool draft = false;
  Text language, edition, title_zh, title_en, note;
};

absl::StatusOr<Language> ParseLanguage(const Text& text) {
  if (!text || *text == "both") return Language::kBoth;
  if (*text == "zh") return Language::kChinese;
  if (*text == "en") return Language::kEnglish;
  return BadField("--lang", *text, "zh, en or both");
}

absl::StatusOr<int> List(Session& session) {
  Table table({{"DIGEST"}, {"EDITION", true}, {"PUBLISHED"}, {"TITLE", false, true}});
  absl::Status printed;
  RETURN_IF_ERROR(session.digests().List([&](const v1::Digest& digest) {
    if (session.json()) {
      printed = session.PrintJson(digest);
    } else {
      table.Add({Cell(LastSegment(digest.name()), digest.name()),
                 Cell(digest.latest_edition() > 0 ? std::to_string(digest.latest_edition()) : "draft",
                      std::to_string(digest.latest_edition())),
                 digest.has_publish_time() ? Rfc3339(FromProto(digest.publish_time())) : "",
                 Localized(digest.title(), Language::kBoth)});
    }
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json()) session.Print(table);
  return kExitOk;
}

absl::StatusOr<int> ShowEdition(Session& session, const std::string& digest, const std::string& number,
                                Language language) {
  ASSIGN_OR_RETURN(const int64_t edition, ParseInteger("--edition", number, 1, std::numeric_limits<int32_t>::max()));
  ASSIGN_OR_RETURN(const v1::Edition shown,
                   session.digests().GetEdition(digest + "/editions/" + std::to_string(edition)));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(shown));
  } else {
    PrintEdition(session.out(), digest, shown, language);
  }
  return kExitOk;
}

absl::StatusOr<int> Show(Session& session, const DigestOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, DigestArgument(options.digest, session.Today()));
  ASSIGN_OR_RETURN(const Language language, ParseLanguage(options.language));
  if (options.edition) return ShowEdition(session, name, *options.edition, language);
  const auto view = options.draft ? v1::DIGEST_VIEW_DRAFT : v1::DIGEST_VIEW_PUBLISHED;
  ASSIGN_OR_RETURN(const v1::Digest digest, session.digests().Get(name, view));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(digest));
  } else if (options.draft) {
    PrintDraft(session.out(), digest, language);
  } else {
    PrintEdition(session.out(), digest.name(), digest.edition(), language);
  }
  return kExitOk;
}

absl::StatusOr<int> Create(Session& session, const DigestOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, DigestArgument(options.digest, session.Today()));
  v1::CreateDigestRequest request;
  request.set_digest_id(LastSegment(name));
  v1::LocalizedText* title = request.mutable_digest()->mutable_title();
  title->set_zh(options.title_zh.value_or(""));
  title->set_en(options.title_en.value_or(""));
  ASSIGN_OR_RETURN(const v1::Digest digest, session.digests().Create(request));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(digest));
  } else {
    session.out().Line(digest.name());
  }
  return kExitOk;
}

absl::StatusOr<int> Publish(Session& session, const DigestOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, DigestArgument(options.digest, session.Today()));
  v1::PublishDigestRequest request;
  request.set_name(name);
  request.set_note(options.note.value_or(""));
  ASSIGN_OR_RETURN(const v1::Edition edition, session.digests().Publish(request));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(edition));
  } else {
    session.out().Line(edition.name());
  }
  return kExitOk;
}

absl::StatusOr<int> Editions(Session& session, const DigestOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, DigestArgument(options.digest, session.Today()));
  Table table({{"EDITION", true}, {"PUBLISHED"}, {"NOTE", false, true}});
  absl::Status printed;
  RETURN_IF_ERROR(session.digests().ListEditions(name, [&](const v1::Edition& edition) {
    if (session.json()) {
      printed = session.PrintJson(edition);
    } else {
      table.Add({Cell(LastSegment(edition.name()), edition.name()), Rfc3339(FromProto(edition.publish_time())),
                 edition.note()});
    }
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json()) session.Print(table);
  return kExitOk;
}

void AddDigestArgument(CLI::App& command, DigestOptions& options) {
  command.add_option("digest", options.digest, "The day, such as 2026-01-14 or today")->required()->type_name("D");
}

}  // namespace

void AddDigests(CLI::App& root, CommandLine& line) {
  CLI::App* group = AddGroup(root, "digests", "Read, open and publish the digest of a day");
  CLI::App* ls = AddCommand(*group, "ls", "List digests, newest day first", "  benchwire digests ls");
  ls->callback([&line] { line.action = List; });

  auto show = std::make_shared<DigestOptions>();
  CLI::App* command =
      AddCommand(*group, "show", "What a digest says: reviews, claims, numbers, and how to repeat them",
                 "  benchwire digests show today\n  benchwire digests show 2026-01-14 --lang en --edition 1\n"
                 "  benchwire digests show 2026-01-14 --draft");
  AddDigestArgument(*command, *show);
  CLI::Option* draft = command->add_flag("--draft", show->draft, "The working state instead of the latest edition");
  AddText(*command, "--edition", show->edition, "This edition instead of the latest", "N")->excludes(draft);
  AddText(*command, "--lang", show->language, "zh, en or both (default both)", "LANGUAGE");
  command->callback([&line, show] { line.action = [show](Session& session) { return Show(session, *show); }; });

  auto create = std::make_shared<DigestOptions>();
  command = AddCommand(*group, "create", "Open the digest of a day",
                       "  benchwire digests create today --title-zh 今日评测 --title-en \"Today's measurements\"");
  AddDigestArgument(*command, *create);
  AddText(*command, "--title-zh", create->title_zh, "Title in Chinese", "TEXT");
  AddText(*command, "--title-en", create->title_en, "Title in English", "TEXT");
  command->callback([&line, create] { line.action = [create](Session& session) { return Create(session, *create); }; });

  auto publish = std::make_shared<DigestOptions>();
  command = AddCommand(*group, "publish", "Freeze every ready entry and its verdicts into the next edition",
                       "  benchwire digests publish today --note 'First edition'");
  AddDigestArgument(*command, *publish);
  AddText(*command, "--note", publish->note, "What changed, for readers", "TEXT");
  command->callback(
      [&line, publish] { line.action = [publish](Session& session) { return Publish(session, *publish); }; });

  auto editions = std::make_shared<DigestOptions>();
  command = AddCommand(*group, "editions", "List the editions of a digest, newest first",
                       "  benchwire digests editions today");
  AddDigestArgument(*command, *editions);
  command->callback(
      [&line, editions] { line.action = [editions](Session& session) { return Editions(session, *editions); }; });
}

}  // namespace benchwire::cli
