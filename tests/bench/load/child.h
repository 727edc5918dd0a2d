// A program started by the bench. Most say on their first line of standard output where they listen.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_CHILD_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_CHILD_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::bench {

class Child {
 public:
  // Starts `command` (program and arguments, looked up in PATH) with standard error written to `log`, and reads its
  // first line. UNAVAILABLE where it ends without one.
  static absl::StatusOr<std::unique_ptr<Child>> Start(const std::vector<std::string>& command, const std::string& log);
  // The same for a program that says nothing.
  static absl::StatusOr<std::unique_ptr<Child>> StartSilent(const std::vector<std::string>& command,
                                                            const std::string& log);
  // Asks it to stop and waits for it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Ends it as a crash would.
  void Kill();

  // Whether it has not ended by itself.
  bool running();
  pid_t pid() const { return pid_; }
  // What follows `key=` in the first line, up to a space.
  std::string Value(const std::string& key) const;

 private:
  Child() = default;
  pid_t pid_ = -1;
  int output_ = -1;
  std::string line_;
};

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_CHILD_H_
