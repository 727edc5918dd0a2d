// One run of a program: started in a process group, an environment and limits of its own, its output passed on, and
// ended with everything it started. One thread; the process may have no other children.
#ifndef BENCHWIRE_WORKERS_COMMAND_PROGRAM_H_
#define BENCHWIRE_WORKERS_COMMAND_PROGRAM_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workers/command/confinement.h"
#include "workers/kit/result.h"

namespace benchwire::command {

struct ProgramPlan {
  std::string path;  // Of the executable; with a slash.
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // `NAME=value`, all of it.
  std::string directory;
  bool with_events = false;  // Gives it descriptor kEventsFd to write to.
  // Where its standard output and standard error go.
  int out_fd = 1;
  int err_fd = 2;
  std::int64_t output_bytes = 0;           // Limit of both together; 0: none.
  std::chrono::nanoseconds wall_time{0};   // Limit; 0: none.
  std::chrono::milliseconds grace{8'000};  // From SIGTERM to SIGKILL.
};

inline constexpr int kEventsFd = 3;

// Receives what the program writes, as it comes. An error stops the program.
class OutputListener {
 public:
  virtual ~OutputListener() = default;
  virtual kit::Status OnStandardOutput(std::string_view bytes) = 0;
  virtual kit::Status OnEvents(std::string_view bytes) = 0;
};

struct ProgramEnd {
  int wait_status = 0;
  // Why it was stopped, or which limit ended it: CANCELLED, WALL_TIME_LIMIT, OUTPUT_LIMIT, MEMORY_LIMIT, PROCESS_LIMIT,
  // FILE_LIMIT, or the listener's error. Absent where it ended by itself.
  std::optional<kit::Error> stopped;
  std::chrono::nanoseconds wall_time{0};
  double user_seconds = 0;
  double system_seconds = 0;
  std::int64_t max_rss_bytes = 0;  // Of the largest of its processes.
  std::int64_t output_bytes = 0;
};

// SPAWN_FAILED where it cannot be started. Returns when it and all it started are gone.
kit::Result<ProgramEnd> RunProgram(const ProgramPlan& plan, Confinement& confinement, OutputListener& listener,
                                   const std::function<bool()>& cancelled);

// The executable that `name` means: itself where it has a slash, else the first in the directories of `path`.
// NO_PROGRAM.
kit::Result<std::string> FindProgram(const std::string& name, const std::string& path);

// `exit status 3`, `signal 9 (Killed)`.
std::string EndText(int wait_status);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_PROGRAM_H_
