#include "workers/agent/work_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "server/base/status.h"

namespace benchwire::agent {
namespace {

absl::Status Failed(const std::filesystem::path& path, const std::string& why) {
  return MakeError(absl::StatusCode::kUnavailable, "WORK_DIR", path.string() + ": " + why);
}

}  // namespace

absl::StatusOr<WorkDir> WorkDir::Open(const std::filesystem::path& base, const std::string& name) {
  std::error_code error;
  // Runners get paths below it and work elsewhere.
  const std::filesystem::path root = std::filesystem::absolute(base, error) / name;
  std::filesystem::create_directories(root, error);
  if (error) return Failed(root, error.message());
  if (chmod(root.c_str(), 0700) != 0) return Failed(root, std::strerror(errno));
  const std::filesystem::path lock_path = root / "lock";
  FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.open()) return Failed(lock_path, std::strerror(errno));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Precondition("WORKER_RUNS", "another benchwire-worker named '" + name + "' runs here and holds " +
                                           lock_path.string() + "; give this one another --name");
  }
  WorkDir out(root, std::move(lock));
  std::filesystem::remove_all(out.attempts(), error);
  if (error) return Failed(out.attempts(), error.message());
  for (const std::filesystem::path& directory : {out.attempts(), out.finished()}) {
    std::filesystem::create_directory(directory, error);
    if (error) return Failed(directory, error.message());
  }
  return out;
}

std::filesystem::path DefaultWorkBase() {
  static constexpr char kBelow[] = "benchwire/worker";
  const char* state = std::getenv("XDG_STATE_HOME");
  // The specification has relative paths ignored.
  if (state != nullptr && state[0] == '/') return std::filesystem::path(state) / kBelow;
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / ".local/state" / kBelow;
}

}  // namespace benchwire::agent
