// What happened in a simulation as seen from outside, and what of it must not have happened.
#ifndef BENCHWIRE_TESTS_SIM_HISTORY_H_
#define BENCHWIRE_TESTS_SIM_HISTORY_H_

#include <benchwire/v1/event_service.pb.h>
#include <benchwire/v1/job.pb.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace benchwire::sim {

// A runner ran from one time to another, by true time: one use for itself and one for each of its devices.
struct DeviceUse {
  std::string worker;
  std::string device;  // Empty: the runner itself.
  std::string attempt;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
};

struct History {
  // Job by the request id of its CreateJob call, as answered; empty: no answer came.
  std::map<std::string, std::vector<std::string>> submitted;
  // Attempts whose completion as SUCCEEDED the server accepted.
  std::vector<std::string> accepted;
  std::vector<DeviceUse> uses;
  // Log bytes that the runner of an attempt wrote before it completed.
  std::map<std::string, std::string> logs;
};

// What is stored at the end.
struct Record {
  std::vector<v1::Job> jobs;  // With their attempts.
  std::vector<v1::Event> events;
  std::map<std::string, std::string> logs;  // Of every SUCCEEDED attempt.
};

// Every breach, one line each, beginning with its kind: LOST, UNFINISHED, DOUBLED, ATTEMPTS, TRANSITION, REVISION,
// OVERLAP, LOG. Pure.
std::vector<std::string> Check(const History& history, const Record& record);

}  // namespace benchwire::sim

#endif  // BENCHWIRE_TESTS_SIM_HISTORY_H_
