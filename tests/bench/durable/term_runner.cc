#include "tests/bench/durable/term_runner.h"

#include <signal.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace benchwire::bench {

std::chrono::nanoseconds MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

int TermRunnerMain(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--describe") == 0) {
    std::puts(R"({"kind": "p2p", "version": "1", "contract_version": 1, "backends": ["host"]})");
    return 0;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  std::printf("term %lld\n", static_cast<long long>(MonotonicNow().count()));
  return 1;
}

absl::StatusOr<std::string> MakeRunnersDirectory(const std::string& directory) {
  const std::filesystem::path runners = std::filesystem::path(directory) / "runners";
  std::error_code error;
  std::filesystem::create_directory(runners, error);
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::remove(runners / kTermRunner, error);
  if (!error) std::filesystem::create_symlink(self, runners / kTermRunner, error);
  if (error) return absl::UnavailableError(runners.string() + ": " + error.message());
  return runners.string();
}

absl::StatusOr<std::chrono::nanoseconds> TermTime(const std::string& log) {
  static constexpr char kMark[] = "term ";
  const size_t at = log.find(kMark);
  long long time = 0;
  if (at != std::string::npos) {
    const char* const begin = log.data() + at + std::strlen(kMark);
    std::from_chars(begin, log.data() + log.size(), time);
  }
  if (time == 0) return absl::InternalError("the runner was not told to stop; its log: " + log);
  return std::chrono::nanoseconds(time);
}

}  // namespace benchwire::bench
