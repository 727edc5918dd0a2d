#include "workers/command/cli.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "workers/kit/spec_reader.h"

namespace benchwire::command {
namespace {

constexpr std::size_t kMaxSpecParameters = 64;
constexpr std::size_t kMaxSpecValueBytes = std::size_t{64} << 10;

constexpr char kDescription[] =
    "Runs an outside program as a benchmark. Which programs there are, what their parameters may be and how their "
    "output\n"
    "becomes measurements is said by definitions, one JSON file each, in the directory --commands.";

constexpr char kFooter[] =
    "\nWhat to run comes from NAME and --param, else from --spec, else from the file that BENCHWIRE_SPEC names.\n"
    "Without --work-dir the program runs in a temporary directory, which is removed.\n"
    "Exit status: 0 complete result, 1 failed or cancelled, 2 with --fail-on-verdict where a\n"
    "measurement is not OK, 64 bad usage, spec or definitions, 75 worth trying again "
    "later.";

void Declare(CLI::App& app, CommandLine* line, std::vector<std::string>* parameters) {
  app.add_option("name", line->command, "Name of the command")->type_name("NAME");
  app.add_option("--param", *parameters, "Value of a parameter; may be repeated")
      ->type_name("KEY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--commands", line->commands, "Directory of the definitions (default: BENCHWIRE_COMMANDS)")
      ->type_name("DIR");
  app.add_option("--work-dir", line->work_dir, "Directory for the program to run in, made where it is not there; kept")
      ->type_name("DIR");
}

}  // namespace

kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  std::vector<std::string> parameters;
  CLI::App app(kDescription, "benchwire-command");
  app.footer(kFooter);
  Declare(app, &line, &parameters);
  const kit::CommonHelp help{"File with a CommandSpec as JSON, `-` for the standard input",
                             "Seed for the program (default BENCHWIRE_SEED, else 1)",
                             "Exit with 2 where a measurement is not OK",
                             "Print the commands and their parameters, and end"};
  if (kit::Status status = ParseCommonLine(app, help, argc, argv, &line); !status.ok()) return status.error();
  if (line.help) return line;
  for (const std::string& parameter : parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) return kit::BadFlag("--param", parameter, "KEY=VALUE");
    if (!line.parameters.emplace(parameter.substr(0, equals), parameter.substr(equals + 1)).second) {
      return kit::BadFlag("--param", parameter, "each key once");
    }
  }
  if (line.spec_path && (!line.command.empty() || !line.parameters.empty())) {
    return kit::Error{"BAD_USAGE", "--spec stands beside a name or --param; want one or the other"};
  }
  if (line.command.empty() && !line.parameters.empty()) {
    return kit::Error{"BAD_USAGE", "--param without the name of a command (see --list)"};
  }
  return line;
}

kit::Result<Spec> ParseSpec(const std::string& text) {
  kit::Result<kit::SpecReader> reader = kit::SpecReader::Parse(text);
  if (!reader.ok()) return reader.error();
  Spec spec;
  reader->Text("command", 63, &spec.command);
  if (spec.command.empty()) reader->Refuse("command", "absent", "the name of a command");
  reader->TextMap("parameters", kMaxSpecParameters, kMaxSpecValueBytes, &spec.parameters);
  if (kit::Status status = reader->Finish(); !status.ok()) return status.error();
  return spec;
}

}  // namespace benchwire::command
