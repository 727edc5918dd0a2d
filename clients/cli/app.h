// The command line tool as a function.
#ifndef BENCHWIRE_CLIENTS_CLI_APP_H_
#define BENCHWIRE_CLIENTS_CLI_APP_H_

namespace benchwire::cli {

// Parses, does, reports errors on descriptor 2 and returns the exit status. Never throws. Before any other thread
// starts.
int RunCommandLine(int argc, const char* const* argv);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_APP_H_
