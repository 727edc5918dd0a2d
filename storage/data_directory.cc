#include "storage/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "server/base/status.h"

namespace benchwire::storage {

absl::StatusOr<std::unique_ptr<DataDirectory>> DataDirectory::Acquire(const std::string& path) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(path, error);
  if (!error && made) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  if (error) {
    return MakeError(absl::StatusCode::kFailedPrecondition, "DATA_DIRECTORY_UNUSABLE", path + ": " + error.message());
  }
  const std::string lock_path = path + "/lock";
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    return MakeError(absl::StatusCode::kFailedPrecondition, "DATA_DIRECTORY_UNUSABLE",
                     lock_path + ": " + std::strerror(errno));
  }
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    close(lock);
    if (reason == EWOULDBLOCK) {
      return Precondition("DATA_DIRECTORY_IN_USE", path + " belongs to another benchwire-server that is running");
    }
    return Precondition("DATA_DIRECTORY_UNUSABLE", lock_path + ": " + std::strerror(reason));
  }
  return std::unique_ptr<DataDirectory>(new DataDirectory(path, lock));
}

DataDirectory::~DataDirectory() { close(lock_); }

}  // namespace benchwire::storage
