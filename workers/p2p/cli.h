// The command line of benchwire-p2p as a value.
#ifndef BENCHWIRE_WORKERS_P2P_CLI_H_
#define BENCHWIRE_WORKERS_P2P_CLI_H_

#include <optional>
#include <string>

#include "workers/kit/command_line.h"

namespace benchwire::p2p {

struct CommandLine : kit::CommonLine {
  std::optional<std::string> spec_json;  // What the measuring flags say, as a P2pSpec; absent without any.
};

// BAD_USAGE names the flag, its value and what is right.
kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_CLI_H_
