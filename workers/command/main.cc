// benchwire-command: see --help.
#include <cstdio>
#include <cstdlib>

#include "workers/command/app.h"
#include "workers/kit/cancellation.h"

namespace benchwire::command {
namespace {

int Main(int argc, char** argv) {
  // Before any thread: the signals it blocks must be blocked in all.
  kit::Cancellation cancellation;
  const auto fail = [](const kit::Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", error.code.c_str(), error.message.c_str());
    return kit::kExitBadSpec;
  };
  AppOptions options;
  kit::Result<CommandLine> line = ParseCommandLine(argc, argv);
  if (!line.ok()) return fail(line.error());
  options.line = std::move(*line);
  options.get_variable = [](const char* name) { return std::getenv(name); };
  kit::Result<kit::RunnerInput> input = kit::ReadRunnerInput(options.get_variable);
  if (!input.ok()) return fail(input.error());
  options.input = std::move(*input);
  options.cancelled = [&cancellation] { return cancellation.requested(); };
  return RunApp(options);
}

}  // namespace
}  // namespace benchwire::command

int main(int argc, char** argv) { return benchwire::command::Main(argc, argv); }
