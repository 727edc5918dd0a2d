#include "tests/unit/storage/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace benchwire {

ChildProcess::ChildProcess(const std::function<void(const Say& say)>& body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  process_ = fork();
  if (process_ < 0) std::abort();
  if (process_ == 0) {
    close(ends[0]);
    body([&](const std::string& line) {
      const std::string text = line.substr(0, 512) + "\n";
      if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  output_ = ends[0];
}

ChildProcess::~ChildProcess() {
  Kill();
  close(output_);
}

std::optional<std::string> ChildProcess::ReadLine() {
  size_t end;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    char chunk[4096];
    const ssize_t got = read(output_, chunk, sizeof chunk);
    if (got <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<size_t>(got));
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

void ChildProcess::Kill() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace benchwire
