// One power failure under the real stores, from a seed.
#ifndef BENCHWIRE_TESTS_FAULTS_POWER_LOSS_TRIAL_H_
#define BENCHWIRE_TESTS_FAULTS_POWER_LOSS_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/faults/power_loss/vfs.h"

namespace benchwire::faults {

struct Outcome {
  std::vector<std::string> breaches;  // Begin with LOST, TORN or INTEGRITY.
  int64_t acknowledged = 0;           // Writes before the failure.
  bool failed = false;                // The power did fail while writes were made.
};

// Writes jobs and telemetry of attempts at once, with checkpoints between, until the power fails; then opens what the
// disk holds. Every acknowledged write must be there, whole transactions only, and the files intact.
Outcome FailUnderStores(PowerLossVfs& vfs, uint64_t seed);

// The same for a bare table, written with `PRAGMA synchronous=` this: shows that the layer sees a missing sync.
Outcome FailUnderTable(PowerLossVfs& vfs, uint64_t seed, const std::string& synchronous);

}  // namespace benchwire::faults

#endif  // BENCHWIRE_TESTS_FAULTS_POWER_LOSS_TRIAL_H_
