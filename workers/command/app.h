// benchwire-command but for main: from a command line and the worker's variables to an exit status.
#ifndef BENCHWIRE_WORKERS_COMMAND_APP_H_
#define BENCHWIRE_WORKERS_COMMAND_APP_H_

#include <functional>

#include "workers/command/cli.h"
#include "workers/kit/runner.h"

namespace benchwire::command {

struct AppOptions {
  CommandLine line;
  kit::RunnerInput input;
  kit::GetVariable get_variable;
  std::function<bool()> cancelled;
};

// Runs and returns the exit status. Errors go to the event stream where there is one, and to the standard error.
int RunApp(const AppOptions& options);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_APP_H_
