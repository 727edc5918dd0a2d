// The command line of benchwire-command as a value.
#ifndef BENCHWIRE_WORKERS_COMMAND_CLI_H_
#define BENCHWIRE_WORKERS_COMMAND_CLI_H_

#include <cstdint>
#include <optional>
#include <string>

#include "workers/command/template.h"
#include "workers/kit/result.h"

namespace benchwire::command {

struct CommandLine {
  std::optional<std::string> help;  // The text to print, and nothing else is to be done.
  bool describe = false;
  bool list = false;
  bool json = false;
  bool fail_on_verdict = false;
  std::string commands;  // Directory of definitions. Empty: BENCHWIRE_COMMANDS.
  std::string command;   // Name. Empty: from the spec.
  Values parameters;
  std::optional<std::string> spec_path;
  std::optional<std::int64_t> seed;
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
