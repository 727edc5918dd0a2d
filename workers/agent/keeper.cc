#include "workers/agent/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace benchwire::agent {
namespace {

void Say(int fd, const char* what, int value) {
  char line[64];
  const int size = std::snprintf(line, sizeof line, "%s %d\n", what, value);
  // The agent may be gone; then nobody wants to know.
  [[maybe_unused]] const ssize_t written = write(fd, line, static_cast<size_t>(size));
}

sigset_t HandledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kKeeperSignals) sigaddset(&set, signal);
  return set;
}

struct Child {
  pid_t pid = 0;
  std::string name;  // As the kernel keeps it: at most 15 bytes.
};

// Direct children of this process.
std::vector<Child> Children() {
  std::vector<Child> children;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* entry = readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) continue;
    char text[512];
    const size_t size = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[size] = '\0';
    // The name in parentheses may itself contain parentheses.
    const char* name = std::strchr(text, '(');
    const char* after_name = std::strrchr(text, ')');
    int parent = 0;
    char state = 0;
    if (name != nullptr && after_name != nullptr && std::sscanf(after_name + 1, " %c %d", &state, &parent) == 2 &&
        parent == getpid()) {
      children.push_back({pid, std::string(name + 1, after_name)});
    }
  }
  closedir(proc);
  return children;
}

// Kills and reaps everything below this process. False where something survived for 10 s.
bool KillDescendants() {
  static constexpr int kRounds = 500;
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  for (int round = 0; round < kRounds; ++round) {
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) return true;
    for (const Child& child : Children()) kill(child.pid, SIGKILL);
    const timespec pause{0, 20'000'000};
    sigtimedwait(&child_signal, nullptr, &pause);
  }
  return false;
}

[[noreturn]] void BecomeRunner(int status_fd, pid_t keeper, char** command) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(command[0], command);
  Say(status_fd, "exec", errno);
  _exit(127);
}

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The next of these signals, or -1 where none came until then.
int WaitSignal(const sigset_t& handled, steady_clock::time_point until) {
  const auto left = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - steady_clock::now()));
  const timespec timeout{left.count() / 1000, left.count() % 1000 * 1'000'000};
  return sigtimedwait(&handled, nullptr, &timeout);
}

void KillRunner(pid_t runner) {
  kill(-runner, SIGKILL);
  kill(runner, SIGKILL);
}

// Waits until the runner has ended, without reaping it, so that its group id stays taken. Returns whether it was killed
// for the agent's silence.
bool WaitForEnd(pid_t runner, const sigset_t& handled, milliseconds silence) {
  bool stalled = false;
  steady_clock::time_point heard = steady_clock::now();
  for (;;) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(runner), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == runner)
      return stalled;
    // Reaps orphans that came to this process.
    info = {};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 && info.si_pid != runner) {
      waitpid(info.si_pid, nullptr, WNOHANG);
      info = {};
    }
    if (info.si_pid == runner) return stalled;
    const int signal = WaitSignal(handled, heard + silence);
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) {
      kill(-runner, SIGTERM);
    } else if (signal == SIGUSR1) {
      KillRunner(runner);
    } else if (signal == SIGUSR2) {
      heard = steady_clock::now();
    } else if (steady_clock::now() - heard >= silence) {
      stalled = true;
      KillRunner(runner);
      heard = steady_clock::now();
    }
  }
}

// Lets go of the runner's pipes, so that their end of file is the runner's.
void DropPipes() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  close(kEventsFd);
}

}  // namespace

void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool KillOrphans() {
  // A keeper's name, and that of a child of this process that is about to become one.
  static constexpr std::string_view kKeeperName = "benchwire-worke";
  static constexpr int kRounds = 500;
  char own_name[16] = "";
  prctl(PR_GET_NAME, own_name);
  for (int round = 0; round < kRounds; ++round) {
    bool some = false;
    for (const Child& child : Children()) {
      if (child.name == kKeeperName || child.name == own_name) continue;
      some = true;
      kill(child.pid, SIGKILL);
      waitpid(child.pid, nullptr, WNOHANG);
    }
    if (!some) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

int KeeperMain(int argc, char** argv) {
  if (argc < 7 || std::strcmp(argv[5], "--") != 0) {
    std::fprintf(stderr, "benchwire-worker: %s is for the worker's own use\n", kKeeperFlag);
    return 2;
  }
  const sigset_t handled = HandledSignals();
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (getppid() != std::atoi(argv[2])) return 1;
  const int status_fd = std::atoi(argv[3]);
  const milliseconds silence(std::atoll(argv[4]));
  fcntl(status_fd, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);

  const pid_t keeper = getpid();
  const pid_t runner = fork();
  if (runner < 0) {
    Say(status_fd, "exec", errno);
    return 1;
  }
  if (runner == 0) BecomeRunner(status_fd, keeper, argv + 6);
  // Both sides set the group, so that it exists whoever runs first.
  setpgid(runner, runner);
  Say(status_fd, "pid", runner);
  DropPipes();
  if (WaitForEnd(runner, handled, silence)) Say(status_fd, "stalled", 1);
  kill(-runner, SIGKILL);
  int status = 0;
  waitpid(runner, &status, 0);
  if (!KillDescendants()) Say(status_fd, "left", 1);
  if (WIFSIGNALED(status)) {
    Say(status_fd, "signal", WTERMSIG(status));
  } else {
    Say(status_fd, "exit", WEXITSTATUS(status));
  }
  return 0;
}

}  // namespace benchwire::agent
