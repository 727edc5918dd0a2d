// A control group of its own for the program, where this process may make one: version 2, else version 1's memory and
// pids controllers. Made before the program and removed after it. One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_CGROUP_H_
#define BENCHWIRE_WORKERS_COMMAND_CGROUP_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace benchwire::command {

// A directory in which groups of this process can be made.
struct CgroupPlace {
  int version = 0;         // 1 or 2.
  std::string controller;  // Of version 1: `memory` or `pids`. Empty for version 2.
  std::string directory;
};

// From the texts of /proc/self/cgroup and /proc/self/mountinfo: where this process is in each hierarchy of use. Pure.
std::vector<CgroupPlace> FindCgroupPlaces(const std::string& cgroup, const std::string& mountinfo);

// FindCgroupPlaces of this process.
std::vector<CgroupPlace> FindOwnCgroupPlaces();

class Cgroup {
 public:
  // Makes what can be made; `name` must be free. A limit of 0 is not set. Whether a limit is in force is what the
  // accessors say: it was written and read back.
  static std::unique_ptr<Cgroup> Make(const std::vector<CgroupPlace>& places, const std::string& name,
                                      std::int64_t memory_bytes, std::int64_t processes);
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  // Kills what is left in the groups and removes them.
  ~Cgroup();

  // 0: not in force; else the version that holds the limit.
  int memory_version() const { return memory_version_; }
  int processes_version() const { return processes_version_; }

  // Descriptors to which a process writes `0` to enter. They close on exec.
  const std::vector<int>& entrances() const { return entrances_; }

  // SIGKILL to every process in the groups.
  void Kill();
  // Whether the kernel killed a process in it for want of memory.
  bool OutOfMemory() const;
  // Whether it refused a fork.
  bool OutOfProcesses() const;

 private:
  Cgroup() = default;
  bool Enter(const std::string& directory);

  std::vector<std::string> directories_;
  std::vector<int> entrances_;
  std::string memory_directory_;
  std::string processes_directory_;
  int memory_version_ = 0;
  int processes_version_ = 0;
};

// Removes empty groups that runs left behind which were killed.
void RemoveStaleCgroups(const std::vector<CgroupPlace>& places);

// A group's name for a run of this process.
std::string CgroupName();

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_CGROUP_H_
