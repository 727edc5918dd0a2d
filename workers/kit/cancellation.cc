#include "workers/kit/cancellation.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace benchwire::kit {

Cancellation::Cancellation() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  // Without a descriptor the signals keep their default, which ends the process: still a way to cancel.
  if (fd_ >= 0) pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Cancellation::~Cancellation() {
  if (fd_ >= 0) close(fd_);
}

bool Cancellation::requested() const {
  if (requested_.load(std::memory_order_relaxed)) return true;
  signalfd_siginfo info;
  if (fd_ < 0 || read(fd_, &info, sizeof info) != sizeof info) return false;
  requested_.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace benchwire::kit
