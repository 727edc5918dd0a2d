// Runs the real `benchwire` as a child process. One thread.
#ifndef BENCHWIRE_TESTS_UNIT_CLI_RUN_CLI_H_
#define BENCHWIRE_TESTS_UNIT_CLI_RUN_CLI_H_

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace benchwire::cli {

struct Result {
  int code = -1;  // 128 + N where signal N ended it.
  std::string out;
  std::string err;
};

struct RunOptions {
  std::map<std::string, std::string> environment = {};
  std::string input = {};
  // Not 0: output and error output are one terminal of so many columns, read into `out`.
  int terminal_columns = 0;
  // Not empty: the output goes to this file instead.
  std::string output_file = {};
};

// Runs it to its end, at most a minute. `arguments` come after `benchwire`.
Result RunCli(const std::vector<std::string>& arguments, const RunOptions& options = {});

// A run that a test looks at while it goes on.
class RunningCli {
 public:
  explicit RunningCli(const std::vector<std::string>& arguments, const RunOptions& options = {});
  ~RunningCli();
  RunningCli(const RunningCli&) = delete;
  RunningCli& operator=(const RunningCli&) = delete;

  // Reads until the output so far (both streams) contains `text`. False where it ended or a minute passed before.
  bool ReadUntil(const std::string& text);
  void Signal(int signal);
  // As a reader that goes away.
  void CloseOutput();
  Result Wait();

 private:
  bool ReadSome(int timeout_ms);

  pid_t pid_ = 0;
  int out_ = -1;
  int err_ = -1;
  Result result_;
};

// Looks until `condition` holds, at most a minute.
bool Eventually(const std::function<bool()>& condition);

// A private directory, removed at the end.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  const std::string& path() const { return path_; }
  // Writes a file there and returns its path.
  std::string Write(const std::string& name, const std::string& content, bool executable = false) const;

 private:
  std::string path_;
};

std::string ReadWhole(const std::string& path);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_TESTS_UNIT_CLI_RUN_CLI_H_
