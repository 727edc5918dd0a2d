// The processes below this one, read from /proc. They cannot hide by a double fork: this process is their subreaper.
// One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_PROCESS_TREE_H_
#define BENCHWIRE_WORKERS_COMMAND_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace benchwire::command {

struct TreeUse {
  std::vector<pid_t> processes;
  std::int64_t threads = 0;       // Of all of them.
  std::int64_t memory_bytes = 0;  // Resident, of all of them; pages that are shared count for each.
};

// Orphans below this process become its children from now on.
void BecomeSubreaper();

// All descendants of this process, zombies left out.
TreeUse ReadTree();

// Threads of all processes of this user.
std::int64_t CountThreadsOfUser();

// Reaps children that have ended, but not `keep`.
void ReapOrphans(pid_t keep);

// SIGKILL to all descendants until none is left, and reaps them. False where something survived for 5 s.
bool KillTree();

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_PROCESS_TREE_H_
