#include "tests/unit/cli/run_cli.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace benchwire::cli {
namespace {

constexpr std::chrono::seconds kPatience{60};

void Check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::abort();
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& extra) {
  // Nothing of the caller's that changes what is printed.
  std::map<std::string, std::string> variables = {
      {"PATH", std::getenv("PATH")}, {"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}};
  for (const auto& [name, value] : extra) variables[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

// Makes a descriptor that holds `input`.
int InputOf(const std::string& input) {
  std::FILE* file = std::tmpfile();
  Check(file != nullptr, "tmpfile");
  Check(std::fwrite(input.data(), 1, input.size(), file) == input.size(), "fwrite");
  std::rewind(file);
  const int fd = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
  std::fclose(file);
  return fd;
}

}  // namespace

RunningCli::RunningCli(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (options.terminal_columns > 0) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(options.terminal_columns);
    size.ws_row = 24;
    Check(::openpty(&out[0], &out[1], nullptr, nullptr, &size) == 0, "openpty");
    ::fcntl(out[0], F_SETFD, FD_CLOEXEC);
    err = {-1, ::dup(out[1])};
  } else {
    Check(::pipe2(out.data(), O_CLOEXEC) == 0 && ::pipe2(err.data(), O_CLOEXEC) == 0, "pipe2");
  }
  if (!options.output_file.empty()) {
    ::close(out[1]);
    out[1] = ::open(options.output_file.c_str(), O_WRONLY | O_CLOEXEC);
    Check(out[1] >= 0, "open");
  }
  const int in = InputOf(options.input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<std::string> argv = {BENCHWIRE_CLI_PATH};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> environment = Environment(options.environment);
  errno =
      posix_spawn(&pid_, BENCHWIRE_CLI_PATH, &actions, nullptr, Pointers(argv).data(), Pointers(environment).data());
  Check(errno == 0, "posix_spawn");
  posix_spawn_file_actions_destroy(&actions);
  ::close(in);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

RunningCli::~RunningCli() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  CloseOutput();
  if (err_ >= 0) ::close(err_);
}

bool RunningCli::ReadSome(int timeout_ms) {
  std::array<pollfd, 2> polls = {{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  if (::poll(polls.data(), polls.size(), timeout_ms) <= 0) return true;
  for (auto [fd, target, text] :
       {std::tuple{&out_, &polls[0], &result_.out}, std::tuple{&err_, &polls[1], &result_.err}}) {
    if (*fd < 0 || target->revents == 0) continue;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(*fd, buffer.data(), buffer.size());
    if (got > 0) {
      text->append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {  // A terminal ends with EIO.
      ::close(*fd);
      *fd = -1;
    }
  }
  return out_ >= 0 || err_ >= 0;
}

bool RunningCli::ReadUntil(const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while ((result_.out + result_.err).find(text) == std::string::npos) {
    if (!ReadSome(100) || std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

void RunningCli::Signal(int signal) { ::kill(pid_, signal); }

void RunningCli::CloseOutput() {
  if (out_ >= 0) ::close(out_);
  out_ = -1;
}

Result RunningCli::Wait() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until && ReadSome(100)) continue;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = 0;
  result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result_;
}

Result RunCli(const std::vector<std::string>& arguments, const RunOptions& options) {
  return RunningCli(arguments, options).Wait();
}

bool Eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TempDirectory::TempDirectory() {
  std::string path = (std::filesystem::temp_directory_path() / "benchwire-test-XXXXXX").string();
  Check(::mkdtemp(path.data()) != nullptr, "mkdtemp");
  path_ = path;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDirectory::Write(const std::string& name, const std::string& content, bool executable) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  if (executable) Check(::chmod(path.c_str(), 0755) == 0, "chmod");
  return path;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace benchwire::cli
