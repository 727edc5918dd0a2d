// A runner as a child process, started through the keeper (keeper.h), with pipes for its log and its events.
// All calls from the thread that started it: the kernel ties the keeper's life to that thread.
#ifndef BENCHWIRE_WORKERS_AGENT_CHILD_PROCESS_H_
#define BENCHWIRE_WORKERS_AGENT_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {

struct ChildSpec {
  // The executable of the agent.
  std::string keeper = "/proc/self/exe";
  std::string program;
  std::vector<std::string> arguments;
  // `NAME=value`; the whole environment, nothing is inherited.
  std::vector<std::string> environment;
  // Working directory.
  std::string directory = "/";
  // The runner is killed where SignLife was not called for so long.
  std::chrono::milliseconds silence = std::chrono::hours(24);
};

struct ChildExit {
  enum class Kind {
    kExited,      // `code` is the exit status.
    kSignalled,   // `code` is the signal.
    kNotStarted,  // `code` is the errno of exec.
    kKeeperLost,  // The keeper was killed; `code` is its signal, or 0. The runner and all it started was killed too.
  };
  Kind kind = Kind::kKeeperLost;
  int code = 0;
  // Processes of the runner that could not be killed may still be there.
  bool survivors = false;
  // It was killed because the agent had stood still.
  bool stalled = false;
};

class ChildProcess {
 public:
  // UNAVAILABLE/SPAWN_FAILED where the keeper cannot be started.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const ChildSpec& spec);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills whatever still runs and waits for it.
  ~ChildProcess();

  // Non-blocking read ends: stdout and stderr together; the event stream; the keeper's status, which ends with the
  // keeper.
  FileDescriptor& log() { return log_; }
  FileDescriptor& events() { return events_; }
  FileDescriptor& status() { return status_; }

  // Reads what the keeper said. True once it ended.
  bool ReadStatus();
  // Tells the keeper that the agent is alive.
  void SignLife();
  // SIGTERM to the runner's group.
  void Terminate();
  // SIGKILL to everything the runner started.
  void Kill();
  // SIGKILL to the keeper too, where it does not answer.
  void KillKeeper();
  // Reaps the keeper; waits for it. Call when ReadStatus returned true, or after KillKeeper.
  ChildExit Wait();

 private:
  ChildProcess(pid_t keeper, FileDescriptor log, FileDescriptor events, FileDescriptor status)
      : keeper_(keeper), log_(std::move(log)), events_(std::move(events)), status_(std::move(status)) {}

  pid_t keeper_;
  bool reaped_ = false;
  FileDescriptor log_;
  FileDescriptor events_;
  FileDescriptor status_;
  std::string said_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_CHILD_PROCESS_H_
