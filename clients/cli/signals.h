// Ctrl-C and vanished readers. Signals are taken by one thread of its own; outside a watch the first one ends the
// process, within one it cancels a token, and a second one ends the process.
#ifndef BENCHWIRE_CLIENTS_CLI_SIGNALS_H_
#define BENCHWIRE_CLIENTS_CLI_SIGNALS_H_

#include <atomic>
#include <thread>

#include "clients/cpp/cancel.h"
#include "server/base/mutex.h"

namespace benchwire::cli {

class Signals {
 public:
  // Before any other thread starts: blocks SIGINT, SIGTERM and SIGHUP in this and all later threads and ignores
  // SIGPIPE. `output_fd` is the descriptor whose reader is looked after.
  explicit Signals(int output_fd);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // While it lives, a signal cancels `token`, and so does, within a fifth of a second, the end of the reader of the
  // output.
  class Watch {
   public:
    Watch(Signals& signals, client::CancelToken& token);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Signals& signals_;
  };

  // While it lives signals are left to a child in the foreground, as system(3) does.
  class Leave {
   public:
    explicit Leave(Signals& signals);
    ~Leave();
    Leave(const Leave&) = delete;
    Leave& operator=(const Leave&) = delete;

   private:
    Signals& signals_;
  };

  bool reader_gone() const { return reader_gone_; }

 private:
  void Run() EXCLUDES(mutex_);
  void Take(int signal) EXCLUDES(mutex_);

  const int output_fd_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> reader_gone_ = false;
  Mutex mutex_;
  client::CancelToken* token_ GUARDED_BY(mutex_) = nullptr;
  bool leave_ GUARDED_BY(mutex_) = false;
  bool taken_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_SIGNALS_H_
