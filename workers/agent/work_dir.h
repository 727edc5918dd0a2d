// What a worker keeps on disk: `BASE/NAME`, mode 0700, locked against a second worker of the same name on this machine.
// Its attempts' directories are in `attempts`, cleared of what a killed worker left; see spool.h for `finished`. The
// lock lasts as long as the object. One owner.
#ifndef BENCHWIRE_WORKERS_AGENT_WORK_DIR_H_
#define BENCHWIRE_WORKERS_AGENT_WORK_DIR_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {

class WorkDir {
 public:
  // FAILED_PRECONDITION/WORKER_RUNS where another process holds it, UNAVAILABLE/WORK_DIR where it cannot be made.
  static absl::StatusOr<WorkDir> Open(const std::filesystem::path& base, const std::string& name);

  std::filesystem::path attempts() const { return root_ / "attempts"; }
  std::filesystem::path finished() const { return root_ / "finished"; }

 private:
  WorkDir(std::filesystem::path root, FileDescriptor lock) : root_(std::move(root)), lock_(std::move(lock)) {}

  std::filesystem::path root_;
  FileDescriptor lock_;
};

// $XDG_STATE_HOME/benchwire/worker, or below ~/.local/state. Empty where there is no home either.
std::filesystem::path DefaultWorkBase();

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_WORK_DIR_H_
