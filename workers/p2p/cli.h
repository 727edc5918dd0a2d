// The command line of benchwire-p2p as a value.
#ifndef BENCHWIRE_WORKERS_P2P_CLI_H_
#define BENCHWIRE_WORKERS_P2P_CLI_H_

#include <cstdint>
#include <optional>
#include <string>

#include "workers/kit/result.h"

namespace benchwire::p2p {

struct CommandLine {
  std::optional<std::string> help;  // The text to print, and nothing else is to be done.
  bool describe = false;
  bool list = false;
  bool json = false;
  bool fail_on_verdict = false;
  std::optional<std::string> spec_path;
  std::optional<std::string> spec_json;  // What the measuring flags say, as a P2pSpec; absent without any.
  std::optional<std::int64_t> seed;
};

// BAD_USAGE names the flag, its value and what is right.
kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_CLI_H_
