#include "tests/unit/p2p/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>

namespace benchwire::p2p {
namespace {

constexpr int kEventsFd = 9;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  std::string* text = nullptr;
};

Pipe MakePipe(std::string* text) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {ends[0], ends[1], text};
}

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  for (std::string& one : *strings) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Reads all pipes to their ends.
void Drain(std::array<Pipe, 3>* pipes, const std::string& events, bool terminate, pid_t child) {
  std::size_t open = pipes->size();
  while (open > 0) {
    std::array<pollfd, 3> polls;
    for (std::size_t i = 0; i < polls.size(); ++i) polls[i] = {(*pipes)[i].read_end, POLLIN, 0};
    poll(polls.data(), polls.size(), -1);
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents == 0) continue;
      char bytes[65'536];
      const ssize_t size = read((*pipes)[i].read_end, bytes, sizeof bytes);
      if (size > 0) {
        (*pipes)[i].text->append(bytes, static_cast<std::size_t>(size));
        continue;
      }
      close((*pipes)[i].read_end);
      (*pipes)[i].read_end = -1;
      --open;
    }
    if (terminate && !events.empty()) {
      kill(child, SIGTERM);
      terminate = false;
    }
  }
}

}  // namespace

ProgramRun RunProgram(const std::string& path, const ProgramOptions& options) {
  ProgramRun run;
  std::array<Pipe, 3> pipes = {MakePipe(&run.out), MakePipe(&run.err), MakePipe(&run.events)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[0].write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[1].write_end, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[2].write_end, kEventsFd);
  std::vector<std::string> arguments = {path};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = options.environment;
  if (options.with_events_fd) environment.push_back("BENCHWIRE_EVENTS_FD=" + std::to_string(kEventsFd));
  pid_t child = -1;
  const int error =
      posix_spawn(&child, path.c_str(), &actions, nullptr, Pointers(&arguments).data(), Pointers(&environment).data());
  posix_spawn_file_actions_destroy(&actions);
  for (const Pipe& pipe : pipes) close(pipe.write_end);
  Drain(&pipes, run.events, options.terminate_after_first_event, child);
  if (error != 0) return run;
  int status = 0;
  waitpid(child, &status, 0);
  run.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace benchwire::p2p
