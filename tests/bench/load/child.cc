#include "tests/bench/load/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

extern char** environ;

namespace benchwire::bench {

absl::StatusOr<std::unique_ptr<Child>> Child::StartSilent(const std::vector<std::string>& command,
                                                          const std::string& log) {
  std::unique_ptr<Child> child(new Child);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError(std::string("pipe: ") + std::strerror(errno));
  child->output_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&child->pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    child->pid_ = -1;
    return absl::UnavailableError(command[0] + ": " + std::strerror(error));
  }
  return child;
}

absl::StatusOr<std::unique_ptr<Child>> Child::Start(const std::vector<std::string>& command, const std::string& log) {
  auto started = StartSilent(command, log);
  if (!started.ok()) return started.status();
  std::unique_ptr<Child> child = *std::move(started);
  char c = 0;
  while (read(child->output_, &c, 1) == 1 && c != '\n') child->line_ += c;
  if (c != '\n') return absl::UnavailableError(command[0] + " did not start; see " + log);
  return child;
}

Child::~Child() {
  if (output_ >= 0) close(output_);
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

void Child::Kill() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool Child::running() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

std::string Child::Value(const std::string& key) const {
  const std::string text = " " + line_ + " ";
  const size_t at = text.find(" " + key + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size() + 2;
  return text.substr(begin, text.find(' ', begin) - begin);
}

}  // namespace benchwire::bench
