#include "workers/command/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>

namespace benchwire::command {
namespace {

struct Process {
  pid_t parent = 0;
  char state = 0;
  std::int64_t threads = 0;
  std::int64_t resident_pages = 0;
};

bool ReadProcess(pid_t pid, Process* out) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  char text[1024];
  const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[size] = '\0';
  // The name in parentheses may itself hold parentheses. See proc(5) for the fields.
  const char* after_name = std::strrchr(text, ')');
  long long threads = 0;
  long long pages = 0;
  if (after_name == nullptr ||
      std::sscanf(after_name + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %lld %*d %*u %*u %lld",
                  &out->state, &out->parent, &threads, &pages) != 4) {
    return false;
  }
  out->threads = threads;
  out->resident_pages = pages;
  return true;
}

void ForEachPid(const std::function<void(pid_t)>& visit) {
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0) visit(pid);
  }
  closedir(proc);
}

}  // namespace

void BecomeSubreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

TreeUse ReadTree() {
  std::map<pid_t, Process> all;
  std::multimap<pid_t, pid_t> children;
  ForEachPid([&](pid_t pid) {
    Process process;
    if (!ReadProcess(pid, &process)) return;
    all[pid] = process;
    children.emplace(process.parent, pid);
  });
  TreeUse use;
  std::vector<pid_t> open = {getpid()};
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [begin, end] = children.equal_range(parent);
    for (auto it = begin; it != end; ++it) {
      open.push_back(it->second);
      const Process& process = all[it->second];
      if (process.state == 'Z') continue;
      use.processes.push_back(it->second);
      use.threads += process.threads;
      use.memory_bytes += process.resident_pages * page;
    }
  }
  return use;
}

std::int64_t CountThreadsOfUser() {
  std::int64_t threads = 0;
  ForEachPid([&threads](pid_t pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d", pid);
    struct stat info {};
    Process process;
    if (stat(path, &info) == 0 && info.st_uid == getuid() && ReadProcess(pid, &process)) threads += process.threads;
  });
  return threads;
}

void ReapOrphans(pid_t keep) {
  siginfo_t info{};
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 && info.si_pid != keep) {
    waitpid(info.si_pid, nullptr, WNOHANG);
    info = {};
  }
}

bool KillTree() {
  static constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    const TreeUse use = ReadTree();
    for (const pid_t pid : use.processes) kill(pid, SIGKILL);
    ReapOrphans(0);
    if (use.processes.empty()) return true;
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace benchwire::command
