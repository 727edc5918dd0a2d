#include "clients/cli/signals.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "clients/cli/exit_codes.h"

namespace benchwire::cli {
namespace {

sigset_t OurSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

bool ReaderGone(int fd) {
  pollfd poll{fd, 0, 0};
  return ::poll(&poll, 1, 0) == 1 && (poll.revents & POLLERR) != 0;
}

}  // namespace

Signals::Signals(int output_fd) : output_fd_(output_fd) {
  const sigset_t set = OurSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { Run(); });
}

Signals::~Signals() {
  stop_ = true;
  pthread_kill(thread_.native_handle(), SIGHUP);  // Only wakes it: stop_ is looked at first.
  thread_.join();
}

void Signals::Run() {
  const sigset_t set = OurSignals();
  const timespec interval{0, 200'000'000};
  while (true) {
    const int signal = sigtimedwait(&set, nullptr, &interval);
    if (stop_) return;
    if (signal > 0) Take(signal);
    MutexLock lock(mutex_);
    if (token_ != nullptr && !reader_gone_ && ReaderGone(output_fd_)) {
      reader_gone_ = true;
      token_->Cancel();
    }
  }
}

void Signals::Take(int signal) {
  MutexLock lock(mutex_);
  if (leave_) return;
  if (token_ == nullptr || taken_) ::_exit(128 + signal);
  taken_ = true;
  token_->Cancel();
}

Signals::Watch::Watch(Signals& signals, client::CancelToken& token) : signals_(signals) {
  MutexLock lock(signals_.mutex_);
  signals_.token_ = &token;
}

Signals::Watch::~Watch() {
  MutexLock lock(signals_.mutex_);
  signals_.token_ = nullptr;
}

Signals::Leave::Leave(Signals& signals) : signals_(signals) {
  MutexLock lock(signals_.mutex_);
  signals_.leave_ = true;
}

Signals::Leave::~Leave() {
  MutexLock lock(signals_.mutex_);
  signals_.leave_ = false;
}

}  // namespace benchwire::cli
