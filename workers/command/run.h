// One run of a command, from its parameters to its result event. One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_RUN_H_
#define BENCHWIRE_WORKERS_COMMAND_RUN_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "workers/command/definition.h"
#include "workers/kit/events.h"
#include "workers/kit/result.h"
#include "workers/kit/runner.h"

namespace benchwire::command {

struct RunOptions {
  Values parameters;  // As the job gives them.
  std::int64_t seed = 0;
  std::vector<std::string> devices;
  std::filesystem::path work_dir;  // Absolute; the program's working directory, home and place for temporary files.
  kit::GetVariable get_variable;   // This process's environment.
  std::function<bool()> cancelled;
  bool use_cgroups = true;
  int out_fd = 1;  // Where the program's standard output goes.
  // From SIGTERM to SIGKILL. Less than the 10 s after which the worker would kill this runner.
  std::chrono::milliseconds grace{8'000};
};

// The directories in which a command's programs are looked for: PATH as its definition sets it, else this process's.
std::string SearchPath(const Definition& definition, const kit::GetVariable& get_variable);

// What a job may ask of the program: its path, argv and environment, all places filled.
struct Invocation {
  std::string path;
  std::vector<std::string> argv;
  std::vector<std::string> shown;        // argv without the places of this run, for people.
  std::vector<std::string> environment;  // `NAME=value`.
  Values values;
};

// BAD_SPEC for wrong parameters, NO_PROGRAM. Pure but for looking for the program.
kit::Result<Invocation> Prepare(const Definition& definition, const RunOptions& options);

// Writes events to `sink`, the result last. BAD_SPEC; NO_PROGRAM; WRITE_FAILED; what RunProgram says; PROGRAM_FAILED;
// TRY_AGAIN where the program's exit status says so; and what the rules of the output say.
kit::Status RunCommand(const Definition& definition, const RunOptions& options, kit::EventSink& sink);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_RUN_H_
