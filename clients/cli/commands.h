// The command line as data: each group of commands adds itself to the tree and, when one of its commands is parsed,
// sets what is to be done. Parsing does nothing else.
#ifndef BENCHWIRE_CLIENTS_CLI_COMMANDS_H_
#define BENCHWIRE_CLIENTS_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

// Does the command; the value is the exit status.
using Action = std::function<absl::StatusOr<int>(Session&)>;

struct CommandLine {
  Globals globals;
  Action action;
};

void AddSubmit(CLI::App& root, CommandLine& line);
void AddJobs(CLI::App& root, CommandLine& line);
void AddRerun(CLI::App& root, CommandLine& line);
void AddDigests(CLI::App& root, CommandLine& line);
void AddEntries(CLI::App& root, CommandLine& line);
void AddWorkers(CLI::App& root, CommandLine& line);
void AddDoctor(CLI::App& root, CommandLine& line);
void AddCompletion(CLI::App& root, CommandLine& line);

// A group of commands, one of which must be given.
CLI::App* AddGroup(CLI::App& parent, const std::string& name, const std::string& description);
// A command with examples under its help.
CLI::App* AddCommand(CLI::App& parent, const std::string& name, const std::string& description,
                     const std::string& examples);
// An option whose text is looked at by the action, so that its error names option, value and what would be right. An
// empty text counts as given.
CLI::Option* AddText(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                     const std::string& description, const std::string& type);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_COMMANDS_H_
