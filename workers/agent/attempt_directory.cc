#include "workers/agent/attempt_directory.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "server/base/status.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {
namespace {

absl::Status Failed(const std::filesystem::path& path, int error) {
  return MakeError(absl::StatusCode::kUnavailable, "SPAWN_FAILED", path.string() + ": " + std::strerror(error));
}

absl::Status WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!file.open()) return Failed(path, errno);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed(path, errno);
    done += static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<AttemptDirectory>> AttemptDirectory::Create(const std::filesystem::path& parent,
                                                                           const std::string& name,
                                                                           const std::string& spec) {
  const std::filesystem::path root = parent / name;
  if (mkdir(root.c_str(), 0700) != 0) return Failed(root, errno);
  std::unique_ptr<AttemptDirectory> directory(new AttemptDirectory(root));
  if (mkdir(directory->work().c_str(), 0700) != 0) return Failed(directory->work(), errno);
  RETURN_IF_ERROR(WriteFile(directory->spec(), spec));
  return directory;
}

AttemptDirectory::~AttemptDirectory() {
  std::error_code error;
  std::filesystem::remove_all(root_, error);
  if (error) spdlog::warn("directory not removed path={} error=\"{}\"", root_.string(), error.message());
}

}  // namespace benchwire::agent
