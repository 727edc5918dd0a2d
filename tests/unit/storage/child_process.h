// A forked child for tests that kill or limit a process. Call while the test process has one thread only.
#ifndef BENCHWIRE_TESTS_UNIT_STORAGE_CHILD_PROCESS_H_
#define BENCHWIRE_TESTS_UNIT_STORAGE_CHILD_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace benchwire {

class ChildProcess {
 public:
  // Sends a line to the parent; atomic, at most 512 bytes.
  using Say = std::function<void(const std::string& line)>;

  // Runs the body in the child, which ends with it.
  explicit ChildProcess(const std::function<void(const Say& say)>& body);
  // Kills the child where it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line the child said; nothing once it has ended and all is read.
  std::optional<std::string> ReadLine();
  // SIGKILL, and waits for the end. What it said can still be read.
  void Kill();

 private:
  pid_t process_ = -1;
  int output_ = -1;
  std::string buffer_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_UNIT_STORAGE_CHILD_PROCESS_H_
