#include "clients/cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/status.h"

namespace benchwire::cli {
namespace {

// Owns the attributes and file actions of one posix_spawn.
class Spawn {
 public:
  Spawn() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    // What this process blocks or ignores must not be inherited.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    flags_ = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void OwnGroup() {
    posix_spawnattr_setpgroup(&attributes_, 0);
    flags_ = static_cast<short>(flags_ | POSIX_SPAWN_SETPGROUP);
  }
  void Redirect(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void OpenNull(int fd, int mode) { posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", mode, 0); }

  absl::StatusOr<pid_t> Start(const std::vector<std::string>& argv, const std::map<std::string, std::string>& extra) {
    std::vector<std::string> environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      if (!extra.contains(text.substr(0, text.find('=')))) environment.push_back(text);
    }
    for (const auto& [name, value] : extra) environment.push_back(name + "=" + value);
    posix_spawnattr_setflags(&attributes_, flags_);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, argv[0].c_str(), &actions_, &attributes_, Pointers(argv).data(),
                                   Pointers(environment).data());
    if (error == 0) return pid;
    const std::string message = "cannot start " + argv[0] + ": " + std::strerror(error);
    return error == ENOENT ? absl::NotFoundError(message) : absl::UnknownError(message);
  }

 private:
  static std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
  }

  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
  short flags_ = 0;
};

int WaitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Reads until the end, the limit or the deadline. False at the deadline.
bool ReadUntil(int fd, std::chrono::steady_clock::time_point deadline, std::string& out) {
  static constexpr size_t kMost = 1 << 20;
  char buffer[65536];
  while (out.size() < kMost) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd poll{fd, POLLIN, 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) out.append(buffer, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) return true;
  }
  return true;
}

}  // namespace

absl::StatusOr<int> RunInForeground(Signals& signals, const std::vector<std::string>& argv,
                                    const std::map<std::string, std::string>& extra) {
  const Signals::Leave leave(signals);
  Spawn spawn;
  ASSIGN_OR_RETURN(const pid_t pid, spawn.Start(argv, extra));
  return WaitFor(pid);
}

absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& argv, std::chrono::milliseconds timeout) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::UnknownError(std::string("pipe: ") + std::strerror(errno));
  absl::StatusOr<pid_t> pid = absl::UnknownError("not started");
  {
    Spawn spawn;
    spawn.OwnGroup();
    spawn.OpenNull(0, O_RDONLY);
    spawn.Redirect(ends[1], 1);
    spawn.OpenNull(2, O_WRONLY);
    pid = spawn.Start(argv, {});
  }
  ::close(ends[1]);
  std::string out;
  const bool in_time = pid.ok() && ReadUntil(ends[0], std::chrono::steady_clock::now() + timeout, out);
  ::close(ends[0]);
  RETURN_IF_ERROR(pid.status());
  if (!in_time) ::kill(-*pid, SIGKILL);
  const int code = WaitFor(*pid);
  if (!in_time) return absl::DeadlineExceededError(argv[0] + " did not end in time");
  if (code != 0) return absl::FailedPreconditionError(argv[0] + " ended with status " + std::to_string(code));
  return out;
}

}  // namespace benchwire::cli
