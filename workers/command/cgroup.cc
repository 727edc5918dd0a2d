#include "workers/command/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "workers/kit/parse_number.h"

namespace benchwire::command {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "benchwire-command-";

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool WriteText(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return good;
}

// Written and read back. Memory is rounded down to pages.
bool SetLimit(const std::string& path, std::int64_t limit) {
  if (!WriteText(path, std::to_string(limit))) return false;
  std::istringstream in(ReadAll(path));
  std::int64_t now = 0;
  return (in >> now) && now <= limit && now > limit - 65'536;
}

// The value of `key VALUE` in a file of such lines.
std::int64_t ValueOf(const std::string& path, const std::string& key) {
  std::istringstream in(ReadAll(path));
  std::string word;
  std::int64_t value = 0;
  while (in >> word >> value) {
    if (word == key) return value;
  }
  return 0;
}

bool HasWord(const std::string& text, const std::string& word) {
  std::istringstream in(text);
  return std::find(std::istream_iterator<std::string>(in), {}, word) != std::istream_iterator<std::string>();
}

struct Mount {
  std::string root, point, type, options;
};

std::vector<Mount> ParseMounts(const std::string& mountinfo) {
  std::vector<Mount> out;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, word;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    while (words >> word && word != "-") {
    }
    words >> mount.type >> skipped >> mount.options;
    if (mount.type == "cgroup" || mount.type == "cgroup2") out.push_back(mount);
  }
  return out;
}

bool HasOption(const Mount& mount, const std::string& option) {
  return ("," + mount.options + ",").find("," + option + ",") != std::string::npos;
}

// Where `path` of a hierarchy lies below a mount that shows the part below its root.
std::optional<std::string> DirectoryOf(const Mount& mount, const std::string& path) {
  if (mount.root == "/") return mount.point + (path == "/" ? "" : path);
  if (path == mount.root) return mount.point;
  if (path.starts_with(mount.root + "/")) return mount.point + path.substr(mount.root.size());
  return std::nullopt;
}

// Version 2 lets a group with processes in it give no controllers to its children. So the children are made beside this
// process's group where the group above was delegated to us (systemd's DelegateSubgroup=), else below it, which works
// at the root alone.
std::string ParentForVersion2(const std::string& own) {
  const std::string above = fs::path(own).parent_path().string();
  char delegated[2] = {};
  if (getxattr(above.c_str(), "user.delegate", delegated, sizeof delegated) == 1 && delegated[0] == '1') return above;
  return own;
}

std::vector<pid_t> Members(const std::string& directory) {
  std::istringstream in(ReadAll(directory + "/cgroup.procs"));
  std::vector<pid_t> out;
  for (pid_t pid = 0; in >> pid;) out.push_back(pid);
  return out;
}

}  // namespace

std::vector<CgroupPlace> FindCgroupPlaces(const std::string& cgroup, const std::string& mountinfo) {
  const std::vector<Mount> mounts = ParseMounts(mountinfo);
  std::vector<CgroupPlace> out;
  std::istringstream lines(cgroup);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    for (const Mount& mount : mounts) {
      const auto directory = DirectoryOf(mount, path);
      if (!directory) continue;
      if (controllers.empty() && mount.type == "cgroup2") out.push_back({2, "", *directory});
      for (const char* controller : {"memory", "pids"}) {
        const bool listed = ("," + controllers + ",").find(std::string(",") + controller + ",") != std::string::npos;
        if (listed && mount.type == "cgroup" && HasOption(mount, controller))
          out.push_back({1, controller, *directory});
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.version > b.version; });
  return out;
}

std::vector<CgroupPlace> FindOwnCgroupPlaces() {
  return FindCgroupPlaces(ReadAll("/proc/self/cgroup"), ReadAll("/proc/self/mountinfo"));
}

bool Cgroup::Enter(const std::string& directory) {
  const int fd = open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  entrances_.push_back(fd);
  return true;
}

std::unique_ptr<Cgroup> Cgroup::Make(const std::vector<CgroupPlace>& places, const std::string& name,
                                     std::int64_t memory_bytes, std::int64_t processes) {
  std::unique_ptr<Cgroup> out(new Cgroup);
  for (const CgroupPlace& place : places) {
    const bool wants_memory = memory_bytes > 0 && out->memory_version_ == 0 && place.controller != "pids";
    const bool wants_processes = processes > 0 && out->processes_version_ == 0 && place.controller != "memory";
    if (!wants_memory && !wants_processes) continue;
    const std::string parent = place.version == 2 ? ParentForVersion2(place.directory) : place.directory;
    if (place.version == 2) {
      const std::string there = ReadAll(parent + "/cgroup.controllers");
      if (!HasWord(there, "memory") && !HasWord(there, "pids")) continue;
      // Fails where they are given already or may not be; whether a limit holds is seen below.
      WriteText(parent + "/cgroup.subtree_control", "+memory");
      WriteText(parent + "/cgroup.subtree_control", "+pids");
    }
    const std::string directory = parent + "/" + name;
    rmdir(directory.c_str());  // Left by a run that was killed and whose number this process has now.
    if (mkdir(directory.c_str(), 0700) != 0) continue;
    out->directories_.push_back(directory);
    const bool two = place.version == 2;
    const bool memory =
        wants_memory && SetLimit(directory + (two ? "/memory.max" : "/memory.limit_in_bytes"), memory_bytes);
    // Without swap a program cannot grow past the limit there. Not every kernel counts swap.
    if (memory)
      WriteText(directory + (two ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"),
                two ? "0" : std::to_string(memory_bytes));
    const bool pids = wants_processes && SetLimit(directory + "/pids.max", processes);
    if ((!memory && !pids) || !out->Enter(directory)) continue;
    if (memory) {
      out->memory_version_ = place.version;
      out->memory_directory_ = directory;
    }
    if (pids) {
      out->processes_version_ = place.version;
      out->processes_directory_ = directory;
    }
  }
  return out;
}

void Cgroup::Kill() {
  for (const std::string& directory : directories_) {
    if (WriteText(directory + "/cgroup.kill", "1")) continue;
    for (const pid_t pid : Members(directory)) kill(pid, SIGKILL);
  }
}

Cgroup::~Cgroup() {
  static constexpr int kRounds = 300;
  for (const int fd : entrances_) close(fd);
  for (int round = 0; round < kRounds && !directories_.empty(); ++round) {
    std::erase_if(directories_, [](const std::string& directory) { return rmdir(directory.c_str()) == 0; });
    if (directories_.empty()) return;
    Kill();
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
}

bool Cgroup::OutOfMemory() const {
  if (memory_version_ == 2) return ValueOf(memory_directory_ + "/memory.events", "oom_kill") > 0;
  return memory_version_ == 1 && ValueOf(memory_directory_ + "/memory.oom_control", "oom_kill") > 0;
}

bool Cgroup::OutOfProcesses() const {
  return processes_version_ != 0 && ValueOf(processes_directory_ + "/pids.events", "max") > 0;
}

void RemoveStaleCgroups(const std::vector<CgroupPlace>& places) {
  for (const CgroupPlace& place : places) {
    const std::string parent = place.version == 2 ? ParentForVersion2(place.directory) : place.directory;
    std::error_code error;
    std::vector<std::string> stale;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (!name.starts_with(kPrefix)) continue;
      const auto pid = kit::ParseWhole<pid_t>(name.substr(sizeof kPrefix - 1));
      if (pid && kill(*pid, 0) != 0 && errno == ESRCH) stale.push_back(it->path().string());
    }
    for (const std::string& directory : stale) rmdir(directory.c_str());  // Fails where something lives in it.
  }
}

std::string CgroupName() { return kPrefix + std::to_string(getpid()); }

}  // namespace benchwire::command
