// SIGTERM and SIGINT as a question asked between samples. Without a signal handler: the signals are blocked and read
// from a descriptor, so no state is global. Make one in main before the first thread; its requested() may be called
// from any thread.
#ifndef BENCHWIRE_WORKERS_KIT_CANCELLATION_H_
#define BENCHWIRE_WORKERS_KIT_CANCELLATION_H_

#include <atomic>

namespace benchwire::kit {

class Cancellation {
 public:
  // Also ignores SIGPIPE, so that a closed event stream is an error of a write.
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // True from the first signal on. One system call, under a microsecond.
  bool requested() const;

 private:
  int fd_;
  mutable std::atomic<bool> requested_{false};
};

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_CANCELLATION_H_
