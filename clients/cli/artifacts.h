// benchwire jobs artifacts …
#ifndef BENCHWIRE_CLIENTS_CLI_ARTIFACTS_H_
#define BENCHWIRE_CLIENTS_CLI_ARTIFACTS_H_

#include "clients/cli/commands.h"

namespace benchwire::cli {

// Adds the command to the group `jobs`.
void AddArtifacts(CLI::App& group, CommandLine& line);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_ARTIFACTS_H_
