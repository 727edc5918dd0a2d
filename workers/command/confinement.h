// Keeps a program within its limits, by what the machine offers: a control group where one can be made, resource limits
// of the kernel, and a watch over the whole tree of processes, which holds everywhere. One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_CONFINEMENT_H_
#define BENCHWIRE_WORKERS_COMMAND_CONFINEMENT_H_

#include <sys/resource.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workers/command/cgroup.h"
#include "workers/command/definition.h"
#include "workers/command/process_tree.h"
#include "workers/kit/result.h"

namespace benchwire::command {

class Confinement {
 public:
  // Without `use_cgroups` as on a machine that lets nobody make groups.
  Confinement(const Limits& limits, bool use_cgroups);

  // In the child, before exec. Async-signal-safe. False: a limit could not be set, see errno.
  bool Enter() const;

  // limit_memory, limit_processes and so on: the value, and what holds it.
  std::map<std::string, std::string> Facts() const;

  // What is over its limit, or was refused or killed for it: MEMORY_LIMIT or PROCESS_LIMIT.
  std::optional<kit::Error> Check(const TreeUse& use) const;
  // FILE_LIMIT where that is what ended a program which failed with this wait status.
  std::optional<kit::Error> Explain(int wait_status) const;

  // SIGKILL to what is in the control group.
  void Kill();

 private:
  const Limits limits_;
  std::unique_ptr<Cgroup> cgroup_;
  std::vector<std::pair<int, rlim_t>> resource_limits_;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_CONFINEMENT_H_
