#include "clients/cli/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace benchwire::cli {
namespace {

bool RefusesColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour != nullptr && *no_colour != '\0';
}

}  // namespace

void HoldStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    // open() gives the lowest free number, which is this one.
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

Output::Output(int fd) : fd_(fd), terminal_(::isatty(fd) == 1), colour_(rewritable() && !RefusesColour()) {}

bool Output::Write(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {  // Somebody shares the descriptor and made it non-blocking.
      pollfd poll{fd_, POLLOUT, 0};
      ::poll(&poll, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

bool Output::broken() const { return error_ == EPIPE; }

absl::Status Output::status() const {
  if (error_ == 0) return absl::OkStatus();
  return absl::InternalError(std::string("cannot write the output: ") + std::strerror(error_));
}

bool Output::rewritable() const {
  const char* term = std::getenv("TERM");
  return terminal_ && term != nullptr && std::strcmp(term, "dumb") != 0;
}

int Output::width() const {
  static constexpr int kUsual = 80;
  if (!terminal_) return 0;
  winsize size{};
  if (::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kUsual;
}

int Output::height() const {
  static constexpr int kUsual = 24;
  if (!terminal_) return 0;
  winsize size{};
  if (::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return kUsual;
}

std::string Output::Styled(std::string_view text, std::string_view code) const {
  if (!colour_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace benchwire::cli
