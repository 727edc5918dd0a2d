// The command line of benchwire-command as a value.
#ifndef BENCHWIRE_WORKERS_COMMAND_CLI_H_
#define BENCHWIRE_WORKERS_COMMAND_CLI_H_

#include <string>

#include "workers/command/template.h"
#include "workers/kit/command_line.h"

namespace benchwire::command {

struct CommandLine : kit::CommonLine {
  std::string commands;  // Directory of definitions. Empty: BENCHWIRE_COMMANDS.
  std::string command;   // Name. Empty: from the spec.
  Values parameters;
  std::string work_dir;  // Empty: a temporary directory.
};

// BAD_USAGE names the flag, its value and what is right.
kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv);

// What a CommandSpec says.
struct Spec {
  std::string command;
  Values parameters;
};

// A CommandSpec as JSON. BAD_SPEC.
kit::Result<Spec> ParseSpec(const std::string& text);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_CLI_H_
