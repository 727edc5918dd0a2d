#include "workers/command/cli.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "workers/command/parameter.h"
#include "workers/kit/parse_number.h"
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
    "Exit status: 0 complete result, 1 failed or cancelled, 64 bad usage, spec or definitions, 75 worth trying again "
    "later.";

struct Flags {
  std::vector<std::string> parameters;
  std::string spec_path;
  std::string seed;
};

void Declare(CLI::App& app, CommandLine* line, Flags* flags) {
  app.add_option("name", line->command, "Name of the command")->type_name("NAME");
  app.add_option("--param", flags->parameters, "Value of a parameter; may be repeated")
      ->type_name("KEY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--spec", flags->spec_path, "File with a CommandSpec as JSON, `-` for the standard input")
      ->type_name("FILE");
  app.add_option("--commands", line->commands, "Directory of the definitions (default: BENCHWIRE_COMMANDS)")
      ->type_name("DIR");
  app.add_option("--work-dir", line->work_dir, "Directory for the program to run in, made where it is not there; kept")
      ->type_name("DIR");
  app.add_option("--seed", flags->seed, "Seed for the program (default BENCHWIRE_SEED, else 1)")->type_name("N");
  app.add_flag("--json", line->json, "Write the events as JSON Lines to the standard output");
  app.add_flag("--fail-on-verdict", line->fail_on_verdict, "Exit with 2 where a measurement is not OK");
  app.add_flag("--list", line->list, "Print the commands and their parameters, and end");
  app.add_flag("--describe", line->describe, "Print the runner's description as JSON, and end");
}

kit::Error BadFlag(const std::string& flag, const std::string& value, const std::string& want) {
  return {"BAD_USAGE", flag + ": " + ShownText(value) + "; want " + want};
}

}  // namespace

kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  Flags flags;
  CLI::App app(kDescription, "benchwire-command");
  app.set_version_flag("--version", "benchwire-command " BENCHWIRE_VERSION);
  app.footer(kFooter);
  Declare(app, &line, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.help = app.help();
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.help = std::string(version.what()) + "\n";
    return line;
  } catch (const CLI::ParseError& error) {
    return kit::Error{"BAD_USAGE", std::string(error.what()) + " (see --help)"};
  }
  if (!flags.spec_path.empty()) line.spec_path = flags.spec_path == "-" ? "/dev/stdin" : flags.spec_path;
  if (!flags.seed.empty()) {
    line.seed = kit::ParseWhole<std::int64_t>(flags.seed);
    if (!line.seed || *line.seed < 0) return BadFlag("--seed", flags.seed, "an integer from 0 to 2^63-1");
  }
  for (const std::string& parameter : flags.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) return BadFlag("--param", parameter, "KEY=VALUE");
    if (!line.parameters.emplace(parameter.substr(0, equals), parameter.substr(equals + 1)).second) {
      return BadFlag("--param", parameter, "each key once");
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
