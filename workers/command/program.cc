#include "workers/command/program.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "workers/command/descriptor.h"

namespace benchwire::command {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

// How often a wish to stop and the tree of processes are looked at.
constexpr milliseconds kTick{50};

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read.Set(ends[0]);
    // Out of the way of the descriptors that the child sets up.
    write.Set(fcntl(ends[1], F_DUPFD_CLOEXEC, 16));
    close(ends[1]);
    return write.open();
  }
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // Nobody reads the log any more; that is no reason to stop.
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

class Runner {
 public:
  Runner(const ProgramPlan& plan, Confinement& confinement, OutputListener& listener,
         const std::function<bool()>& cancelled)
      : plan_(plan), confinement_(confinement), listener_(listener), cancelled_(cancelled) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  kit::Result<ProgramEnd> Run() {
    BecomeSubreaper();
    if (kit::Status status = Start(); !status.ok()) return status.error();
    while (!ended_) {
      Poll(kTick);
      Tick();
    }
    if (!KillTree() && !end_.stopped)
      end_.stopped = kit::Error{"SURVIVORS", "a process of the program cannot be killed"};
    while (out_.read.open() || err_.read.open() || events_.read.open()) Poll(milliseconds(0));
    if (!end_.stopped) end_.stopped = confinement_.Check(TreeUse());
    const bool failed = !WIFEXITED(end_.wait_status) || WEXITSTATUS(end_.wait_status) != 0;
    if (!end_.stopped && failed) end_.stopped = confinement_.Explain(end_.wait_status);
    return end_;
  }

 private:
  kit::Error SpawnError(int error) const { return {"SPAWN_FAILED", plan_.path + ": " + std::strerror(error)}; }

  kit::Status Start() {
    if (!out_.Open() || !err_.Open() || !events_.Open() || !fault_.Open()) return SpawnError(errno);
    std::vector<std::string> argv = plan_.argv;
    std::vector<std::string> environment = plan_.environment;
    const std::vector<char*> argv_pointers = Pointers(argv);
    const std::vector<char*> environment_pointers = Pointers(environment);
    const pid_t parent = getpid();
    start_ = std::chrono::steady_clock::now();
    child_ = fork();
    if (child_ < 0) return SpawnError(errno);
    if (child_ == 0) BecomeProgram(parent, argv_pointers.data(), environment_pointers.data());
    setpgid(child_, child_);
    for (Pipe* pipe : {&out_, &err_, &events_, &fault_}) pipe->write.Close();
    if (!plan_.with_events) events_.read.Close();
    // Ends without a byte where exec took place.
    int error = 0;
    ssize_t got = 0;
    while ((got = read(fault_.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (got == sizeof error) {
      waitpid(child_, nullptr, 0);
      return SpawnError(error);
    }
    ended_fd_.Set(static_cast<int>(syscall(SYS_pidfd_open, child_, 0)));  // The header of glibc 2.36 is none for C++.
    if (!ended_fd_.open()) {
      const int fault = errno;
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
      return SpawnError(fault);
    }
    for (Pipe* pipe : {&out_, &err_, &events_}) {
      if (pipe->read.open()) fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    }
    return kit::Status();
  }

  // Only calls that are safe between fork and exec.
  [[noreturn]] void BecomeProgram(pid_t parent, char* const* argv, char* const* environment) const {
    const auto must = [this](bool good) {
      if (good) return;
      const int error = errno;
      [[maybe_unused]] const ssize_t written = write(fault_.write.get(), &error, sizeof error);
      _exit(127);
    };
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    must(confinement_.Enter());
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    must(null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out_.write.get(), STDOUT_FILENO) >= 0 &&
         dup2(err_.write.get(), STDERR_FILENO) >= 0);
    if (plan_.with_events) must(dup2(events_.write.get(), kEventsFd) >= 0);
    const unsigned first_closed = plan_.with_events ? kEventsFd + 1 : kEventsFd;
    must(close_range(first_closed, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
    must(chdir(plan_.directory.c_str()) == 0);
    umask(077);
    for (const int signal : {SIGPIPE, SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(plan_.path.c_str(), argv, environment);
    must(false);
    _exit(127);
  }

  void Poll(milliseconds timeout) {
    std::array<pollfd, 4> fds = {{{ended_ ? -1 : ended_fd_.get(), POLLIN, 0},
                                  {out_.read.get(), POLLIN, 0},
                                  {err_.read.get(), POLLIN, 0},
                                  {events_.read.get(), POLLIN, 0}}};
    if (poll(fds.data(), fds.size(), static_cast<int>(timeout.count())) < 0 && errno != EINTR) return;
    if (ended_ || fds[1].revents != 0) Read(out_.read, [this](std::string_view bytes) { OnOutput(bytes, true); });
    if (ended_ || fds[2].revents != 0) Read(err_.read, [this](std::string_view bytes) { OnOutput(bytes, false); });
    if (ended_ || fds[3].revents != 0) {
      Read(events_.read, [this](std::string_view bytes) {
        // The first error counts; what follows it has no meaning.
        if (!listener_failed_) Heed(listener_.OnEvents(bytes));
      });
    }
    if (!ended_ && fds[0].revents != 0) OnEnd();
  }

  template <typename Use>
  void Read(Descriptor& fd, const Use& use) {
    if (!fd.open()) return;
    const ssize_t got = read(fd.get(), buffer_.data(), buffer_.size());
    if (got > 0) {
      use(std::string_view(buffer_.data(), static_cast<std::size_t>(got)));
    } else if (got == 0 || ended_ || (errno != EAGAIN && errno != EINTR)) {
      fd.Close();  // After the end nothing can write any more.
    }
  }

  void OnOutput(std::string_view bytes, bool standard_output) {
    end_.output_bytes += static_cast<std::int64_t>(bytes.size());
    if (plan_.output_bytes > 0 && end_.output_bytes > plan_.output_bytes) {
      Stop(
          {"OUTPUT_LIMIT", "the program wrote more than its limit of " + std::to_string(plan_.output_bytes) + " bytes"},
          milliseconds(0));
      return;
    }
    WriteAll(standard_output ? plan_.out_fd : plan_.err_fd, bytes);
    if (standard_output && !listener_failed_) Heed(listener_.OnStandardOutput(bytes));
  }

  void Heed(const kit::Status& status) {
    if (status.ok()) return;
    listener_failed_ = true;
    Stop(status.error(), plan_.grace);
  }

  // What is wrong at regular intervals rather than by an event.
  void Tick() {
    if (ended_) return;
    const SteadyTime now = std::chrono::steady_clock::now();
    if (kill_at_ && now >= *kill_at_) {
      KillAll();
      kill_at_ = now + kTick;
    }
    if (now < next_look_) return;
    next_look_ = now + kTick;
    ReapOrphans(child_);
    if (cancelled_()) Stop({"CANCELLED", "the run was asked to stop"}, plan_.grace);
    if (plan_.wall_time.count() > 0 && now - start_ > plan_.wall_time) {
      const double seconds = std::chrono::duration<double>(plan_.wall_time).count();
      char text[64];
      std::snprintf(text, sizeof text, "%g s", seconds);
      Stop({"WALL_TIME_LIMIT", std::string("the program ran longer than its limit of ") + text}, plan_.grace);
    }
    if (const auto over = confinement_.Check(ReadTree())) Stop(*over, milliseconds(0));
  }

  // SIGTERM, and after `grace` SIGKILL, to everything.
  void Stop(const kit::Error& why, milliseconds grace) {
    if (end_.stopped) return;
    end_.stopped = why;
    if (grace.count() > 0) {
      kill(-child_, SIGTERM);
    } else {
      KillAll();
    }
    kill_at_ = std::chrono::steady_clock::now() + std::max(grace, kTick);
  }

  void KillAll() {
    kill(-child_, SIGKILL);
    confinement_.Kill();
    for (const pid_t pid : ReadTree().processes) kill(pid, SIGKILL);
  }

  void OnEnd() {
    rusage use{};
    while (wait4(child_, &end_.wait_status, 0, &use) < 0 && errno == EINTR) {
    }
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    end_.wall_time = std::chrono::steady_clock::now() - start_;
    end_.user_seconds = seconds(use.ru_utime);
    end_.system_seconds = seconds(use.ru_stime);
    end_.max_rss_bytes = static_cast<std::int64_t>(use.ru_maxrss) * 1024;
    ended_ = true;
  }

  const ProgramPlan& plan_;
  Confinement& confinement_;
  OutputListener& listener_;
  const std::function<bool()>& cancelled_;
  Pipe out_, err_, events_, fault_;
  Descriptor ended_fd_;
  pid_t child_ = 0;
  SteadyTime start_;
  SteadyTime next_look_;
  std::optional<SteadyTime> kill_at_;
  bool ended_ = false;
  bool listener_failed_ = false;
  ProgramEnd end_;
  std::array<char, std::size_t{64} << 10> buffer_;
};

bool IsExecutable(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

kit::Result<ProgramEnd> RunProgram(const ProgramPlan& plan, Confinement& confinement, OutputListener& listener,
                                   const std::function<bool()>& cancelled) {
  return Runner(plan, confinement, listener, cancelled).Run();
}

kit::Result<std::string> FindProgram(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) {
    if (IsExecutable(name)) return name;
    return kit::Error{"NO_PROGRAM", name + " is no program that can be run"};
  }
  std::istringstream directories(path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    // An empty directory would mean the working directory, where the program's own output lies.
    if (directory.empty()) continue;
    if (std::string full = directory + "/" + name; IsExecutable(full)) return full;
  }
  return kit::Error{"NO_PROGRAM", "no program " + name + " in " + path};
}

std::string EndText(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit status " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

}  // namespace benchwire::command
