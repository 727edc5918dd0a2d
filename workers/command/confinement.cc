#include "workers/command/confinement.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace benchwire::command {
namespace {

kit::Error MemoryError(std::int64_t limit) {
  return {"MEMORY_LIMIT", "the program needed more than its limit of " + std::to_string(limit) + " bytes of memory"};
}

kit::Error ProcessError(std::int64_t limit) {
  return {"PROCESS_LIMIT",
          "the program needed more than its limit of " + std::to_string(limit) + " processes and threads"};
}

// Of a program, or of the shell that reports how its child ended.
bool EndedBy(int wait_status, int signal) {
  if (WIFSIGNALED(wait_status)) return WTERMSIG(wait_status) == signal;
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 128 + signal;
}

}  // namespace

Confinement::Confinement(const Limits& limits, bool use_cgroups) : limits_(limits) {
  std::vector<CgroupPlace> places;
  if (use_cgroups) places = FindOwnCgroupPlaces();
  RemoveStaleCgroups(places);
  cgroup_ = Cgroup::Make(places, CgroupName(), limits.memory_bytes, limits.processes);
  resource_limits_.emplace_back(RLIMIT_CORE, 0);
  if (limits.open_files > 0) resource_limits_.emplace_back(RLIMIT_NOFILE, limits.open_files);
  if (limits.file_bytes > 0) resource_limits_.emplace_back(RLIMIT_FSIZE, limits.file_bytes);
  // Private writable memory of each process. Unlike the size of its address space, it leaves out what is only reserved,
  // as CUDA does.
  if (limits.memory_bytes > 0 && cgroup_->memory_version() == 0) {
    resource_limits_.emplace_back(RLIMIT_DATA, limits.memory_bytes);
  }
  // The kernel counts all processes of the user, and none of root's.
  if (limits.processes > 0 && cgroup_->processes_version() == 0 && geteuid() != 0) {
    resource_limits_.emplace_back(RLIMIT_NPROC, CountThreadsOfUser() + limits.processes);
  }
}

bool Confinement::Enter() const {
  for (const int entrance : cgroup_->entrances()) {
    if (write(entrance, "0", 1) != 1) return false;
  }
  for (const auto& [resource, limit] : resource_limits_) {
    rlimit now{};
    const auto which = static_cast<__rlimit_resource_t>(resource);
    if (getrlimit(which, &now) != 0) return false;
    // A hard limit that is lower already stays.
    const rlim_t most = now.rlim_max < limit ? now.rlim_max : limit;
    const rlimit wanted{most, most};
    if (setrlimit(which, &wanted) != 0) return false;
  }
  return true;
}

std::map<std::string, std::string> Confinement::Facts() const {
  std::map<std::string, std::string> facts;
  const auto by = [](int version, const char* otherwise) {
    return version == 0 ? std::string(otherwise) : "cgroup v" + std::to_string(version);
  };
  if (limits_.memory_bytes > 0) {
    facts["limit_memory"] = std::to_string(limits_.memory_bytes) +
                            " bytes: " + by(cgroup_->memory_version(), "RLIMIT_DATA of each process") + ", watch";
  }
  if (limits_.processes > 0) {
    const char* otherwise = geteuid() == 0 ? "no kernel limit" : "RLIMIT_NPROC";
    facts["limit_processes"] =
        std::to_string(limits_.processes) + ": " + by(cgroup_->processes_version(), otherwise) + ", watch";
  }
  if (limits_.open_files > 0) facts["limit_open_files"] = std::to_string(limits_.open_files) + ": RLIMIT_NOFILE";
  if (limits_.file_bytes > 0) facts["limit_file"] = std::to_string(limits_.file_bytes) + " bytes: RLIMIT_FSIZE";
  if (limits_.output_bytes > 0) facts["limit_output"] = std::to_string(limits_.output_bytes) + " bytes: runner";
  if (limits_.wall_time.count() > 0) {
    char seconds[64];
    std::snprintf(seconds, sizeof seconds, "%g s: runner", std::chrono::duration<double>(limits_.wall_time).count());
    facts["limit_wall_time"] = seconds;
  }
  return facts;
}

std::optional<kit::Error> Confinement::Check(const TreeUse& use) const {
  // Without one of its processes the program might go on, and measure something else.
  if (cgroup_->OutOfMemory()) return MemoryError(limits_.memory_bytes);
  if (cgroup_->OutOfProcesses()) return ProcessError(limits_.processes);
  // A group counts shared pages once, the watch several times: where the group holds, it alone decides.
  if (limits_.memory_bytes > 0 && cgroup_->memory_version() == 0 && use.memory_bytes > limits_.memory_bytes) {
    return MemoryError(limits_.memory_bytes);
  }
  if (limits_.processes > 0 && use.threads > limits_.processes) return ProcessError(limits_.processes);
  return std::nullopt;
}

std::optional<kit::Error> Confinement::Explain(int wait_status) const {
  if (EndedBy(wait_status, SIGXFSZ)) {
    return kit::Error{"FILE_LIMIT",
                      "the program wrote a file beyond its limit of " + std::to_string(limits_.file_bytes) + " bytes"};
  }
  return std::nullopt;
}

void Confinement::Kill() { cgroup_->Kill(); }

}  // namespace benchwire::command
