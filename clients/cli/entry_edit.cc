#include "clients/cli/entry_edit.h"

#include <benchwire/v1/digest_service.pb.h>
#include <google/protobuf/util/message_differencer.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>

#include "clients/cli/child.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/json.h"
#include "clients/cli/names.h"
#include "clients/cli/temp_file.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

v1::Entry WithoutOutputOnly(v1::Entry entry) {
  entry.clear_create_time();
  entry.clear_update_time();
  for (v1::Claim& claim : *entry.mutable_claims()) claim.clear_evaluation();
  return entry;
}

absl::Status Update(Session& session, const v1::Entry& edited) {
  v1::UpdateEntryRequest request;
  *request.mutable_entry() = edited;
  request.mutable_update_mask()->add_paths("*");
  ASSIGN_OR_RETURN(const v1::Entry saved, session.digests().UpdateEntry(request));
  if (session.json()) return session.PrintJson(saved);
  session.out().Line("Saved " + saved.name() + ".");
  return absl::OkStatus();
}

bool IsBlank(const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; }

// What to do with the text of an edit that was not taken.
void SayKept(Session& session, const absl::Status& status, const std::string& name, const std::string& path) {
  session.Note("Not saved. Your text is kept in " + path + ".");
  if (status.code() == absl::StatusCode::kAborted) {
    session.Note("Someone changed " + name + " meanwhile. Compare with `benchwire entries show " + name +
                 " --json`, put its etag into your text, then");
  } else {
    session.Note("Mend it, then");
  }
  session.Note("  benchwire entries edit " + name + " -f " + path);
}

}  // namespace

absl::StatusOr<std::string> EditableJson(v1::Entry entry) { return ToPrettyJson(WithoutOutputOnly(std::move(entry))); }

absl::StatusOr<v1::Entry> ParseEdited(const std::string& from, const std::string& text, const std::string& name) {
  v1::Entry entry;
  RETURN_IF_ERROR(FromJson(from, Normalised(text), UnknownFields::kRefuse, entry));
  if (entry.name().empty()) entry.set_name(name);
  if (entry.name() != name) return BadField(from + ": name", entry.name(), name + "; an entry cannot be renamed");
  return WithoutOutputOnly(std::move(entry));
}

std::vector<std::string> EditorArguments(const char* visual, const char* editor, const std::string& file) {
  std::string command = "vi";
  if (editor != nullptr && *editor != '\0') command = editor;
  if (visual != nullptr && *visual != '\0') command = visual;
  struct stat info {};
  if (command.find('/') != std::string::npos && ::stat(command.c_str(), &info) == 0) return {command, file};
  return {"/bin/sh", "-c", command + " \"$@\"", command, file};
}

absl::StatusOr<int> EditEntry(Session& session, const std::string& name) {
  ASSIGN_OR_RETURN(const v1::Entry entry, session.digests().GetEntry(name));
  ASSIGN_OR_RETURN(const std::string before, EditableJson(entry));
  ASSIGN_OR_RETURN(const std::unique_ptr<TempFile> file,
                   TempFile::Create("benchwire-" + LastSegment(name) + "-", ".json", before));
  const std::vector<std::string> argv = EditorArguments(std::getenv("VISUAL"), std::getenv("EDITOR"), file->path());
  ASSIGN_OR_RETURN(const int code, RunInForeground(session.signals(), argv, {}));
  ASSIGN_OR_RETURN(const std::string content, ReadFile(file->path()));
  const std::string after = Normalised(content);
  if (code != 0) {
    if (after != before) file->Keep();
    session.Note("The editor ended with status " + std::to_string(code) + ". Nothing saved." +
                 (after != before ? " Your text is kept in " + file->path() + "." : ""));
    return kExitError;
  }
  if (IsBlank(after)) {
    session.Note("The file is empty. Nothing saved.");
    return kExitError;
  }
  absl::StatusOr<v1::Entry> edited = ParseEdited(file->path(), after, name);
  if (edited.ok() && google::protobuf::util::MessageDifferencer::Equals(*edited, WithoutOutputOnly(entry))) {
    session.Note(
        "No change, nothing saved. (An editor that returns at once needs its waiting option, such as EDITOR='code "
        "--wait'.)");
    return kExitOk;
  }
  const absl::Status status = edited.ok() ? Update(session, *edited) : edited.status();
  if (status.ok()) return kExitOk;
  file->Keep();
  SayKept(session, status, name, file->path());
  return status;
}

absl::StatusOr<int> UpdateEntryFrom(Session& session, const std::string& name, const std::string& file) {
  ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  ASSIGN_OR_RETURN(const v1::Entry edited, ParseEdited(FileTitle(file), content, name));
  RETURN_IF_ERROR(Update(session, edited));
  return kExitOk;
}

}  // namespace benchwire::cli
