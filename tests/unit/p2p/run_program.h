// Runs benchwire-p2p as a user or a worker would, and collects what it says.
#ifndef BENCHWIRE_TESTS_UNIT_P2P_RUN_PROGRAM_H_
#define BENCHWIRE_TESTS_UNIT_P2P_RUN_PROGRAM_H_

#include <string>
#include <vector>

namespace benchwire::p2p {

struct ProgramRun {
  int exit_status = -1;  // 128 + signal where a signal ended it.
  std::string out;       // Standard output.
  std::string err;       // Standard error.
  std::string events;    // What came on the descriptor BENCHWIRE_EVENTS_FD.
};

struct ProgramOptions {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // `NAME=value`; nothing else is passed on.
  bool with_events_fd = false;
  bool terminate_after_first_event = false;  // Sends SIGTERM.
};

ProgramRun RunProgram(const std::string& path, const ProgramOptions& options);

// Lines without their newlines.
std::vector<std::string> Lines(const std::string& text);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_TESTS_UNIT_P2P_RUN_PROGRAM_H_
