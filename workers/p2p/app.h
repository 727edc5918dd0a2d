// benchwire-p2p but for main: from a command line and the worker's variables to an exit status.
#ifndef BENCHWIRE_WORKERS_P2P_APP_H_
#define BENCHWIRE_WORKERS_P2P_APP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workers/kit/runner.h"
#include "workers/p2p/backend.h"
#include "workers/p2p/cli.h"
#include "workers/p2p/spec.h"

namespace benchwire::p2p {

// Makes backends; main knows which there are.
struct BackendFactory {
  // `named`: endpoint ids of the spec; `granted`: of the worker.
  std::function<kit::Result<std::unique_ptr<Backend>>(const std::vector<std::string>& named,
                                                      const std::vector<std::string>& granted, const Warn& warn)>
      make;
  std::function<kit::Status()> check;  // Whether there is anything to measure, without touching it.
  std::string name;                    // `host`, `cuda`.
  std::vector<Case> cases;             // What it can run on any machine.
};

struct AppOptions {
  CommandLine line;
  kit::RunnerInput input;
  BackendFactory cuda;
  BackendFactory host;
  std::function<bool()> cancelled;
};

// Runs and returns the exit status. Errors go to the event stream where there is one, and to the standard error.
int RunApp(const AppOptions& options);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_APP_H_
