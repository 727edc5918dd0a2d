// The flags that every runner has, read with CLI11.
#ifndef BENCHWIRE_WORKERS_KIT_COMMAND_LINE_H_
#define BENCHWIRE_WORKERS_KIT_COMMAND_LINE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "workers/kit/result.h"

namespace CLI {
class App;
}

namespace benchwire::kit {

// What they said. A runner's own command line adds its own to it.
struct CommonLine {
  std::optional<std::string> help;  // The text to print, and nothing else is to be done.
  bool describe = false;
  bool list = false;
  bool json = false;
  bool fail_on_verdict = false;
  std::optional<std::string> spec_path;
  std::optional<std::int64_t> seed;
};

// What the help says of flags that mean something else in each runner.
struct CommonHelp {
  std::string spec;
  std::string seed;
  std::string fail_on_verdict;
  std::string list;
};

// Adds the common flags to `app`, which has its name and its own flags already, and parses. BAD_USAGE.
Status ParseCommonLine(CLI::App& app, const CommonHelp& help, int argc, const char* const* argv, CommonLine* line);

// BAD_USAGE naming the flag, its value and what is right.
Error BadFlag(const std::string& flag, const std::string& value, const std::string& want);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_COMMAND_LINE_H_
