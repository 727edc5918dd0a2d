#include "workers/kit/event_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace benchwire::kit {
namespace {

// 0 or the errno of the write that failed. Waits where the descriptor is non-blocking and full.
int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Status EventWriter::Write(const Event& event) {
  if (broken_) return Error{"WRITE_FAILED", "an earlier event could not be written"};
  const bool is_result = std::holds_alternative<TypedResult>(event);
  if (is_result && result_written_) return Error{"SECOND_RESULT", "a run has at most one result"};
  Result<std::string> line = EventLine(event);
  if (!line.ok()) return line.error();
  if (const int error = WriteAll(fd_, *line + "\n"); error != 0) {
    broken_ = true;
    return Error{error == EPIPE ? "READER_GONE" : "WRITE_FAILED",
                 "descriptor " + std::to_string(fd_) + ": " + std::strerror(error)};
  }
  result_written_ = result_written_ || is_result;
  return Status();
}

}  // namespace benchwire::kit
