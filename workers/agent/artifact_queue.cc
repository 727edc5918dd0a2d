#include "workers/agent/artifact_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/base/artifact_path.h"
#include "server/base/status.h"
#include "workers/agent/safe_text.h"

namespace benchwire::agent {
namespace {

constexpr char kPath[] = "artifact.path";

absl::Status NotAFile(const std::string& path, int error) {
  const std::string why = error == ELOOP || error == ENOTDIR ? "it is, or is reached through, a link or no directory"
                                                             : std::strerror(error);
  return BadField(kPath, SafeText(path, 200), "a regular file below the working directory (" + why + ")");
}

}  // namespace

// Segment by segment from the directory: none may be a link, so none leads out.
absl::StatusOr<FileDescriptor> ArtifactQueue::Open(const std::string& path) const {
  FileDescriptor at(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  size_t begin = 0;
  for (size_t slash = path.find('/'); at.open() && slash != std::string::npos; slash = path.find('/', begin)) {
    const std::string segment = path.substr(begin, slash - begin);
    at = FileDescriptor(openat(at.get(), segment.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    begin = slash + 1;
  }
  if (!at.open()) return NotAFile(path, errno);
  // Not blocking: a FIFO would wait for its other end.
  FileDescriptor file(openat(at.get(), path.c_str() + begin, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open()) return NotAFile(path, errno);
  return file;
}

absl::Status ArtifactQueue::Add(const v1::ArtifactFile& file) {
  const std::string& path = file.path();
  if (!IsArtifactPath(path)) return BadField(kPath, SafeText(path, 200), kArtifactPathForm);
  const std::string media_type = file.media_type().empty() ? "application/octet-stream" : file.media_type();
  if (!IsMediaType(media_type)) return BadField("artifact.media_type", SafeText(media_type, 200), kMediaTypeForm);
  if (paths_.contains(path)) return BadField(kPath, SafeText(path, 200), "a path that was not named before");
  if (paths_.size() >= limits_.files) {
    return BadField(kPath, SafeText(path, 200), "at most " + std::to_string(limits_.files) + " artifacts");
  }
  ASSIGN_OR_RETURN(FileDescriptor opened, Open(path));
  struct stat status {};
  if (fstat(opened.get(), &status) != 0) return NotAFile(path, errno);
  if (!S_ISREG(status.st_mode)) return BadField(kPath, SafeText(path, 200), "a regular file");
  if (status.st_size > limits_.bytes - bytes_) {
    return BadField(kPath, SafeText(path, 200),
                    "artifacts of at most " + std::to_string(limits_.bytes) + " bytes in all, not " +
                        std::to_string(bytes_ + status.st_size));
  }
  bytes_ += status.st_size;
  paths_.insert(path);
  waiting_.push_back({path, media_type, std::move(opened), status.st_size, 0, {}});
  return absl::OkStatus();
}

absl::StatusOr<v1::ArtifactChunk> ArtifactQueue::Next() {
  Waiting& next = waiting_.front();
  std::string data(std::min(limits_.piece, static_cast<size_t>(next.size - next.sent)), '\0');
  for (size_t done = 0; done < data.size();) {
    const ssize_t got =
        pread(next.file.get(), data.data() + done, data.size() - done, next.sent + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return BadField(kPath, SafeText(next.path, 200),
                      got == 0 ? "a file that stays as it is: it became shorter"
                               : std::string("a file that can be read: ") + std::strerror(errno));
    }
    done += static_cast<size_t>(got);
  }
  next.hash.Add(data);
  v1::ArtifactChunk chunk;
  chunk.set_path(next.path);
  chunk.set_media_type(next.media_type);
  chunk.set_offset(next.sent);
  next.sent += static_cast<int64_t>(data.size());
  chunk.set_data(std::move(data));
  if (next.sent == next.size) {
    chunk.set_last(true);
    chunk.set_size_bytes(next.size);
    chunk.set_sha256(next.hash.Hex());
    waiting_.pop_front();
  }
  return chunk;
}

}  // namespace benchwire::agent
