// One whole simulation: clients submit, workers work and everything fails; then the faults end, and everything must
// come to its end.
#ifndef BENCHWIRE_TESTS_SIM_SIMULATION_H_
#define BENCHWIRE_TESTS_SIM_SIMULATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/worker.h"

namespace benchwire::sim {

// What may be taken away, to see that the checks notice.
struct Guards {
  WorkerGuards worker;
  bool request_ids = true;  // Clients repeat a call with the same request id.
};

struct Outcome {
  std::vector<std::string> breaches;  // See history.h.
  int64_t crashes = 0;                // Of the server.
  int64_t jobs = 0;
  int64_t attempts = 0;
};

// The same for the same seed and guards.
Outcome Simulate(uint64_t seed, const Guards& guards = {});

}  // namespace benchwire::sim

#endif  // BENCHWIRE_TESTS_SIM_SIMULATION_H_
