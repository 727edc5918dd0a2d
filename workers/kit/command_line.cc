#include "workers/kit/command_line.h"

#include <CLI/CLI.hpp>

#include "workers/kit/parse_number.h"
#include "workers/kit/text.h"

namespace benchwire::kit {

Status ParseCommonLine(CLI::App& app, const CommonHelp& help, int argc, const char* const* argv, CommonLine* line) {
  std::string spec_path, seed;
  app.set_version_flag("--version", app.get_name() + " " BENCHWIRE_VERSION);
  app.add_option("--spec", spec_path, help.spec)->type_name("FILE");
  app.add_option("--seed", seed, help.seed)->type_name("N");
  app.add_flag("--json", line->json, "Write the events as JSON Lines to the standard output");
  app.add_flag("--fail-on-verdict", line->fail_on_verdict, help.fail_on_verdict);
  app.add_flag("--list", line->list, help.list);
  app.add_flag("--describe", line->describe, "Print the runner's description as JSON, and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line->help = app.help();
    return Status();
  } catch (const CLI::CallForVersion& version) {
    line->help = std::string(version.what()) + "\n";
    return Status();
  } catch (const CLI::ParseError& error) {
    return Error{"BAD_USAGE", std::string(error.what()) + " (see --help)"};
  }
  if (!spec_path.empty()) line->spec_path = spec_path == "-" ? "/dev/stdin" : spec_path;
  if (!seed.empty()) {
    line->seed = ParseWhole<std::int64_t>(seed);
    if (!line->seed || *line->seed < 0) return BadFlag("--seed", seed, "an integer from 0 to 2^63-1");
  }
  return Status();
}

Error BadFlag(const std::string& flag, const std::string& value, const std::string& want) {
  return {"BAD_USAGE", flag + ": " + Quoted(value) + "; want " + want};
}

}  // namespace benchwire::kit
