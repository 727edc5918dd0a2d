// Changing an entry with the caller's editor or from a file.
#ifndef BENCHWIRE_CLIENTS_CLI_ENTRY_EDIT_H_
#define BENCHWIRE_CLIENTS_CLI_ENTRY_EDIT_H_

#include <benchwire/v1/digest.pb.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// The entry as JSON to be edited: what a caller may set, its name and its etag. Pure.
absl::StatusOr<std::string> EditableJson(v1::Entry entry);
// Reads it back. INVALID_ARGUMENT naming `from` where it is no entry, or another one than `name`. Pure.
absl::StatusOr<v1::Entry> ParseEdited(const std::string& from, const std::string& text, const std::string& name);
// The argv of the editor for a file: VISUAL before EDITOR before vi. The value is a command line for the shell, or the
// path of a program, spaces and all, where there is one of that name.
std::vector<std::string> EditorArguments(const char* visual, const char* editor, const std::string& file);

// Opens the editor on entry `name`, and updates it with what was saved. An editor that fails, an emptied file or no
// change saves nothing and says so; text that is refused stays in a file that is named.
absl::StatusOr<int> EditEntry(Session& session, const std::string& name);
// Updates entry `name` from a file with its JSON. Without an etag in it, nothing is checked.
absl::StatusOr<int> UpdateEntryFrom(Session& session, const std::string& name, const std::string& file);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_ENTRY_EDIT_H_
