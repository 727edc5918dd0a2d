// A file descriptor that closes itself. One owner.
#ifndef BENCHWIRE_WORKERS_COMMAND_DESCRIPTOR_H_
#define BENCHWIRE_WORKERS_COMMAND_DESCRIPTOR_H_

#include <unistd.h>

namespace benchwire::command {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  void Set(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_DESCRIPTOR_H_
