// benchwire entries …
#include <benchwire/v1/digest_service.pb.h>

#include <memory>
#include <vector>

#include "clients/cli/commands.h"
#include "clients/cli/digest_view.h"
#include "clients/cli/entry_edit.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/json.h"
#include "clients/cli/names.h"
#include "clients/cli/units.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

using Text = std::optional<std::string>;

struct EntryOptions {
  std::string digest, entry;
  Text file, title_zh, title_en, body_zh, body_en, category;
  std::vector<std::string> tags, sources, claims;
  bool ready = false;
};

absl::Status FillTexts(const EntryOptions& options, v1::Entry& entry) {
  if (options.title_zh) entry.mutable_title()->set_zh(*options.title_zh);
  if (options.title_en) entry.mutable_title()->set_en(*options.title_en);
  if (options.body_zh) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(*options.body_zh));
    entry.mutable_body()->set_zh(Normalised(text));
  }
  if (options.body_en) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(*options.body_en));
    entry.mutable_body()->set_en(Normalised(text));
  }
  if (options.category) entry.set_category(*options.category);
  for (const std::string& tag : options.tags) entry.add_tags(tag);
  for (const std::string& source : options.sources) entry.add_sources()->set_uri(source);
  if (options.ready) entry.set_state(v1::ENTRY_STATE_READY);
  return absl::OkStatus();
}

// JSON, or `@FILE` for a file with it.
absl::Status AddClaim(const std::string& text, v1::Entry& entry) {
  std::string json = text;
  std::string from = "--claim";
  if (text.starts_with("@")) {
    from = FileTitle(text.substr(1));
    ASSIGN_OR_RETURN(json, ReadFile(text.substr(1)));
  }
  return FromJson(from, Normalised(json), UnknownFields::kRefuse, *entry.add_claims());
}

absl::StatusOr<int> New(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string digest, DigestArgument(options.digest, session.Today()));
  if (!IsSlug(options.entry)) return BadField("entry", options.entry, "1 to 63 characters a-z, 0-9 and -");
  v1::CreateEntryRequest request;
  request.set_parent(digest);
  request.set_entry_id(options.entry);
  v1::Entry& entry = *request.mutable_entry();
  if (options.file) {
    ASSIGN_OR_RETURN(const std::string content, ReadFile(*options.file));
    ASSIGN_OR_RETURN(entry, ParseEdited(FileTitle(*options.file), content, digest + "/entries/" + options.entry));
    entry.clear_etag();
  }
  RETURN_IF_ERROR(FillTexts(options, entry));
  for (const std::string& claim : options.claims) RETURN_IF_ERROR(AddClaim(claim, entry));
  ASSIGN_OR_RETURN(const v1::Entry made, session.digests().CreateEntry(request));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(made));
  } else {
    session.out().Line(made.name());
  }
  return kExitOk;
}

absl::StatusOr<int> Show(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, EntryArgument(options.entry, session.Today()));
  ASSIGN_OR_RETURN(const v1::Entry entry, session.digests().GetEntry(name));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(entry));
  } else {
    PrintEntry(session.out(), entry, Language::kBoth, /*draft=*/true);
  }
  return kExitOk;
}

absl::StatusOr<int> List(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string digest, DigestArgument(options.digest, session.Today()));
  Table table({{"ENTRY"}, {"STATE"}, {"CATEGORY"}, {"TITLE", false, true}, {"CLAIMS", false, true}, {"UPDATED"}});
  absl::Status printed;
  RETURN_IF_ERROR(session.digests().ListEntries(digest, [&](const v1::Entry& entry) {
    if (session.json()) {
      printed = session.PrintJson(entry);
    } else {
      const WallTime updated = FromProto(entry.update_time());
      table.Add({Cell(LastSegment(entry.name()), entry.name()),
                 v1::EntryState_Name(entry.state()).substr(sizeof("ENTRY_STATE_") - 1), entry.category(),
                 Localized(entry.title(), Language::kBoth), VerdictCounts(entry),
                 Cell(Ago(updated, session.ServerNow()), Rfc3339(updated))});
    }
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json()) session.Print(table);
  return kExitOk;
}

absl::StatusOr<int> Ready(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, EntryArgument(options.entry, session.Today()));
  // The etag refuses the change where someone saves another text at the same moment.
  ASSIGN_OR_RETURN(const v1::Entry entry, session.digests().GetEntry(name));
  v1::UpdateEntryRequest request;
  request.mutable_entry()->set_name(name);
  request.mutable_entry()->set_etag(entry.etag());
  request.mutable_entry()->set_state(v1::ENTRY_STATE_READY);
  request.mutable_update_mask()->add_paths("state");
  ASSIGN_OR_RETURN(const v1::Entry saved, session.digests().UpdateEntry(request));
  if (session.json()) {
    RETURN_IF_ERROR(session.PrintJson(saved));
  } else {
    session.out().Line(name + " goes into the next edition.");
  }
  return kExitOk;
}

absl::StatusOr<int> Remove(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, EntryArgument(options.entry, session.Today()));
  RETURN_IF_ERROR(session.digests().DeleteEntry(name, ""));
  if (!session.json()) session.out().Line("Removed " + name + ". Editions keep theirs.");
  return kExitOk;
}

absl::StatusOr<int> Edit(Session& session, const EntryOptions& options) {
  ASSIGN_OR_RETURN(const std::string name, EntryArgument(options.entry, session.Today()));
  return options.file ? UpdateEntryFrom(session, name, *options.file) : EditEntry(session, name);
}

void AddNew(CLI::App& group, CommandLine& line) {
  auto options = std::make_shared<EntryOptions>();
  CLI::App* command = AddCommand(
      group, "new", "Add an entry to a digest, from JSON, from options, or both",
      "  benchwire entries new today p2p-bandwidth -f entry.json --ready\n"
      "  benchwire entries new today p2p-bandwidth --title-zh 卡间带宽 --title-en 'Peer bandwidth' \\\n"
      "      --body-zh zh.md --body-en en.md --category GPU --tag p2p --source https://example.com/paper \\\n"
      "      --claim '{\"id\": \"fast\", \"text\": {\"en\": \"Above 10 GB/s\"}, \"selector\": {\"job\": "
      "\"jobs/01kexq2v7m\",\n"
      "                \"metric\": \"bandwidth\"}, \"condition\": {\"comparison\": \"COMPARISON_GREATER\",\n"
      "                \"threshold\": 1e10, \"unit\": \"B/s\"}}'");
  command->add_option("digest", options->digest, "The day, such as 2026-01-14 or today")->required()->type_name("D");
  command->add_option("entry", options->entry, "Id of the new entry, of a-z, 0-9 and -")->required()->type_name("E");
  auto repeatable = [&](const std::string& name, std::vector<std::string>& target, const std::string& description,
                        const std::string& type) {
    command->add_option(name, target, description)->type_name(type)->type_size(1)->allow_extra_args(false);
  };
  AddText(*command, "-f,--file", options->file, "File with the JSON of an Entry, `-` for standard input", "FILE");
  AddText(*command, "--title-zh", options->title_zh, "Title in Chinese", "TEXT");
  AddText(*command, "--title-en", options->title_en, "Title in English", "TEXT");
  AddText(*command, "--body-zh", options->body_zh, "File with the text in Chinese, Markdown", "FILE");
  AddText(*command, "--body-en", options->body_en, "File with the text in English, Markdown", "FILE");
  AddText(*command, "--category", options->category, "Such as GPU, NAS or MARL", "TEXT");
  repeatable("--tag", options->tags, "Tag; may be repeated", "TEXT");
  repeatable("--source", options->sources, "Address of what it is about; may be repeated", "URI");
  repeatable("--claim", options->claims, "A Claim as JSON, or @FILE; may be repeated", "JSON|@FILE");
  command->add_flag("--ready", options->ready, "To go into the next edition");
  command->callback([&line, options] { line.action = [options](Session& session) { return New(session, *options); }; });
}

// A command whose only argument is an entry.
std::shared_ptr<EntryOptions> AddForEntry(CLI::App& group, CommandLine& line, const std::string& name,
                                          const std::string& description, const std::string& examples,
                                          absl::StatusOr<int> (*action)(Session&, const EntryOptions&),
                                          CLI::App** command) {
  auto options = std::make_shared<EntryOptions>();
  *command = AddCommand(group, name, description, examples);
  (*command)
      ->add_option("entry", options->entry, "The entry, D/E such as today/p2p-bandwidth")
      ->required()
      ->type_name("D/E");
  (*command)->callback([&line, options, action] {
    line.action = [options, action](Session& session) { return action(session, *options); };
  });
  return options;
}

}  // namespace

void AddEntries(CLI::App& root, CommandLine& line) {
  CLI::App* group = AddGroup(root, "entries", "Write the reviews of a digest");
  AddNew(*group, line);
  CLI::App* command = nullptr;
  const auto edit =
      AddForEntry(*group, line, "edit", "Change an entry in your editor (VISUAL, then EDITOR) or from a file",
                  "  benchwire entries edit today/p2p-bandwidth\n"
                  "  EDITOR='code --wait' benchwire entries edit 2026-01-14/p2p-bandwidth\n"
                  "  benchwire entries edit today/p2p-bandwidth -f entry.json",
                  Edit, &command);
  AddText(*command, "-f,--file", edit->file,
          "File with the JSON of the entry, `-` for standard input; its etag is checked if there", "FILE");
  AddForEntry(*group, line, "show", "One entry's working state, its claims tested now",
              "  benchwire entries show today/p2p-bandwidth", Show, &command);
  AddForEntry(*group, line, "ready", "Mark an entry for the next edition",
              "  benchwire entries ready today/p2p-bandwidth", Ready, &command);
  AddForEntry(*group, line, "rm", "Remove an entry from the working state",
              "  benchwire entries rm today/p2p-bandwidth", Remove, &command);
  auto list = std::make_shared<EntryOptions>();
  command = AddCommand(*group, "ls", "List the entries of a digest", "  benchwire entries ls today");
  command->add_option("digest", list->digest, "The day, such as 2026-01-14 or today")->required()->type_name("D");
  command->callback([&line, list] { line.action = [list](Session& session) { return List(session, *list); }; });
}

}  // namespace benchwire::cli
