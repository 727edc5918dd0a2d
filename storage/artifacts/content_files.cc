#include "storage/artifacts/content_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

constexpr size_t kPiece = 1 << 20;

absl::Status FileError(const std::string& path, int error) {
  const std::string message = path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return MakeError(absl::StatusCode::kResourceExhausted, "DISK_FULL", message);
  }
  return MakeError(absl::StatusCode::kInternal, "DISK_ERROR", message);
}

// As of a database: see GroupCommit.
absl::Status SyncError(const std::string& path, int error) {
  return MakeError(absl::StatusCode::kInternal, "DISK_SYNC_FAILED", path + ": " + std::strerror(error));
}

absl::Status LostContent(const std::string& path) {
  return MakeError(absl::StatusCode::kDataLoss, "CONTENT_LOST", path + " lacks bytes that were stored");
}

// Closes itself.
class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Makes the names in a directory durable.
absl::Status SyncDirectory(const std::string& path) {
  const File directory(path, O_RDONLY | O_DIRECTORY);
  if (directory.fd() < 0) return FileError(path, errno);
  return ::fsync(directory.fd()) == 0 ? absl::OkStatus() : SyncError(path, errno);
}

absl::Status MakeDirectory(const std::string& parent, const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return SyncDirectory(parent);
  return errno == EEXIST ? absl::OkStatus() : FileError(path, errno);
}

// Reads up to `size` bytes; fewer at the end.
absl::StatusOr<size_t> ReadAt(const File& file, const std::string& path, int64_t offset, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file.fd(), to + done, size - done, offset + static_cast<off_t>(done));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return FileError(path, errno);
    if (got > 0) done += static_cast<size_t>(got);
  }
  return done;
}

std::vector<std::filesystem::path> EntriesOf(const std::string& path, std::error_code& error) {
  std::vector<std::filesystem::path> out;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    out.push_back(it->path());
  }
  return out;
}

}  // namespace

std::string ContentFiles::PartialPath(int64_t upload) const {
  return directory_ + "/partial/" + std::to_string(upload);
}
std::string ContentFiles::ContentPath(const std::string& sha256) const {
  return directory_ + "/content/" + sha256.substr(0, 2) + "/" + sha256;
}

absl::StatusOr<std::unique_ptr<ContentFiles>> ContentFiles::Open(const std::string& directory) {
  std::error_code error;
  const std::string parent = std::filesystem::path(directory).parent_path();
  RETURN_IF_ERROR(MakeDirectory(parent, directory));
  for (const char* part : {"/partial", "/content"}) RETURN_IF_ERROR(MakeDirectory(directory, directory + part));
  return std::unique_ptr<ContentFiles>(new ContentFiles(directory));
}

absl::Status ContentFiles::Write(int64_t upload, int64_t offset, std::string_view bytes) {
  const std::string path = PartialPath(upload);
  const File file(path, O_WRONLY | O_CREAT);
  if (file.fd() < 0 || ::ftruncate(file.fd(), offset) != 0) return FileError(path, errno);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote =
        ::pwrite(file.fd(), bytes.data() + done, bytes.size() - done, offset + static_cast<off_t>(done));
    if (wrote < 0 && errno != EINTR) return FileError(path, errno);
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  if (::fsync(file.fd()) != 0) return SyncError(path, errno);
  return offset == 0 ? SyncDirectory(directory_ + "/partial") : absl::OkStatus();
}

absl::Status ContentFiles::ForEachPiece(int64_t upload, int64_t size,
                                        const std::function<void(std::string_view)>& take) {
  const std::string path = PartialPath(upload);
  const File file(path, O_RDONLY);
  if (file.fd() < 0) return FileError(path, errno);
  std::string piece(kPiece, '\0');
  for (int64_t done = 0; done < size;) {
    const size_t wanted = std::min(kPiece, static_cast<size_t>(size - done));
    ASSIGN_OR_RETURN(const size_t got, ReadAt(file, path, done, piece.data(), wanted));
    if (got < wanted) return LostContent(path);
    take(std::string_view(piece).substr(0, got));
    done += static_cast<int64_t>(got);
  }
  return absl::OkStatus();
}

absl::Status ContentFiles::Keep(int64_t upload, const std::string& sha256) {
  const std::string path = ContentPath(sha256);
  const std::string parent = std::filesystem::path(path).parent_path();
  RETURN_IF_ERROR(MakeDirectory(directory_ + "/content", parent));
  if (::link(PartialPath(upload).c_str(), path.c_str()) != 0 && errno != EEXIST) return FileError(path, errno);
  return SyncDirectory(parent);
}

void ContentFiles::RemoveUpload(int64_t upload) { ::unlink(PartialPath(upload).c_str()); }

void ContentFiles::RemoveContent(const std::string& sha256) { ::unlink(ContentPath(sha256).c_str()); }

absl::StatusOr<std::string> ContentFiles::Read(const std::string& sha256, int64_t offset, int64_t limit) const {
  const std::string path = ContentPath(sha256);
  const File file(path, O_RDONLY);
  if (file.fd() < 0) return errno == ENOENT ? LostContent(path) : FileError(path, errno);
  std::string out(static_cast<size_t>(limit), '\0');
  ASSIGN_OR_RETURN(const size_t got, ReadAt(file, path, offset, out.data(), out.size()));
  out.resize(got);
  return out;
}

absl::Status ContentFiles::Sweep(const std::function<bool(int64_t)>& keep_upload,
                                 const std::function<bool(const std::string&)>& keep_content) {
  std::error_code error;
  for (const auto& path : EntriesOf(directory_ + "/partial", error)) {
    const std::string name = path.filename();
    int64_t upload = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), upload);
    const bool ours = bad == std::errc() && end == name.data() + name.size();
    if (ours && !keep_upload(upload)) ::unlink(path.c_str());
  }
  for (const auto& folder : EntriesOf(directory_ + "/content", error)) {
    for (const auto& path : EntriesOf(folder, error)) {
      if (!keep_content(path.filename())) ::unlink(path.c_str());
    }
  }
  return error ? FileError(directory_, error.value()) : absl::OkStatus();
}

}  // namespace benchwire::storage
