#include "workers/agent/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "server/base/status.h"
#include "workers/agent/keeper.h"

namespace benchwire::agent {
namespace {

absl::Status SpawnError(const std::string& what, int error) {
  return MakeError(absl::StatusCode::kUnavailable, "SPAWN_FAILED", what + ": " + std::strerror(error));
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SpawnError("pipe2", errno);
  Pipe pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  // The write end of the runner stays blocking: it waits where the agent is slower.
  if (fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) return SpawnError("fcntl", errno);
  return pipe;
}

// dup2 onto the targets below must not overwrite a source that is still needed.
absl::StatusOr<FileDescriptor> MoveUp(const FileDescriptor& fd) {
  static constexpr int kAboveTargets = 16;
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kAboveTargets);
  if (moved < 0) return SpawnError("fcntl", errno);
  return FileDescriptor(moved);
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// posix_spawn of the keeper with the descriptors in their places. Returns the errno.
int SpawnKeeper(const ChildSpec& spec, int log, int events, int status, pid_t* keeper) {
  std::vector<std::string> argv = {"benchwire-worker",
                                   kKeeperFlag,
                                   std::to_string(getpid()),
                                   std::to_string(kStatusFd),
                                   std::to_string(spec.silence.count()),
                                   "--",
                                   spec.program};
  argv.insert(argv.end(), spec.arguments.begin(), spec.arguments.end());
  std::vector<std::string> environment = spec.environment;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, events, kEventsFd);
  posix_spawn_file_actions_adddup2(&actions, status, kStatusFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kStatusFd + 1);
  posix_spawn_file_actions_addchdir_np(&actions, spec.directory.c_str());

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  // Blocked from the first instruction, so that an early signal waits for the keeper to be ready.
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kKeeperSignals) sigaddset(&blocked, signal);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigdefault(&attributes, &defaults);

  const int error = posix_spawn(keeper, spec.keeper.c_str(), &actions, &attributes, Pointers(argv).data(),
                                Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const ChildSpec& spec) {
  ASSIGN_OR_RETURN(Pipe log, MakePipe());
  ASSIGN_OR_RETURN(Pipe events, MakePipe());
  ASSIGN_OR_RETURN(Pipe status, MakePipe());
  ASSIGN_OR_RETURN(const FileDescriptor log_up, MoveUp(log.write));
  ASSIGN_OR_RETURN(const FileDescriptor events_up, MoveUp(events.write));
  ASSIGN_OR_RETURN(const FileDescriptor status_up, MoveUp(status.write));
  pid_t keeper = 0;
  if (const int error = SpawnKeeper(spec, log_up.get(), events_up.get(), status_up.get(), &keeper); error != 0) {
    return SpawnError("posix_spawn of " + spec.keeper + " in " + spec.directory, error);
  }
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(keeper, std::move(log.read), std::move(events.read), std::move(status.read)));
}

ChildProcess::~ChildProcess() {
  if (!reaped_) {
    KillKeeper();
    Wait();
  }
}

bool ChildProcess::ReadStatus() {
  char buffer[256];
  for (;;) {
    const ssize_t got = read(status_.get(), buffer, sizeof buffer);
    if (got > 0) {
      said_.append(buffer, static_cast<size_t>(got));
    } else if (got == 0) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
}

void ChildProcess::SignLife() {
  if (!reaped_) kill(keeper_, SIGUSR2);
}

void ChildProcess::Terminate() {
  if (!reaped_) kill(keeper_, SIGTERM);
}

void ChildProcess::Kill() {
  if (!reaped_) kill(keeper_, SIGUSR1);
}

void ChildProcess::KillKeeper() {
  if (reaped_) return;
  ReadStatus();
  std::istringstream in(said_);
  std::string word;
  pid_t runner = 0;
  // While the keeper is not reaped it holds the runner, so the runner's number cannot belong to another process.
  if (in >> word >> runner && word == "pid" && runner > 1) kill(-runner, SIGKILL);
  kill(keeper_, SIGKILL);
}

ChildExit ChildProcess::Wait() {
  int wait_status = 0;
  while (waitpid(keeper_, &wait_status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  ReadStatus();
  ChildExit exit;
  if (WIFSIGNALED(wait_status)) {
    exit.code = WTERMSIG(wait_status);
    exit.survivors = !KillOrphans();
  }
  std::istringstream in(said_);
  std::string word;
  int value = 0;
  bool known = false;
  while (in >> word >> value) {
    if (word == "left") exit.survivors = true;
    if (word == "stalled") exit.stalled = true;
    if (known || (word != "exit" && word != "signal" && word != "exec")) continue;
    known = true;
    exit.kind = word == "exit"     ? ChildExit::Kind::kExited
                : word == "signal" ? ChildExit::Kind::kSignalled
                                   : ChildExit::Kind::kNotStarted;
    exit.code = value;
  }
  return exit;
}

}  // namespace benchwire::agent
