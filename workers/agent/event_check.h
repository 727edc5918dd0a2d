// The limits of the runner contract (runner.proto, measurement.proto) on a parsed event. Pure. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_EVENT_CHECK_H_
#define BENCHWIRE_WORKERS_AGENT_EVENT_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "benchwire/v1/runner.pb.h"

namespace benchwire::agent {

inline constexpr size_t kMaxText = 4096;
inline constexpr int kMaxSamples = 100'000;
inline constexpr size_t kMaxLabels = 64;
inline constexpr size_t kMaxEnvironment = 256;

// INVALID_ARGUMENT/BAD_FIELD naming the field, such as `measurement.value`. `kind` is the job's: a result of another is
// refused.
absl::Status CheckEvent(const v1::RunnerEvent& event, const std::string& kind);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_EVENT_CHECK_H_
