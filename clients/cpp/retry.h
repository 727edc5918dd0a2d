// When a call is tried again. Pure. Exponential backoff with full jitter (Brooker, "Exponential Backoff And Jitter",
// AWS 2015); a google.rpc.RetryInfo of the server is the least delay.
#ifndef BENCHWIRE_CLIENTS_CPP_RETRY_H_
#define BENCHWIRE_CLIENTS_CPP_RETRY_H_

#include <chrono>
#include <optional>

#include "absl/status/status.h"

namespace benchwire::client {

struct RetryPolicy {
  // Calls in all, the first included.
  int max_attempts = 4;
  // Upper end of the first delay; doubles with each failure.
  std::chrono::milliseconds initial_delay{200};
  std::chrono::milliseconds max_delay{5'000};
  // A server that asks for a longer pause than this is not waited for.
  std::chrono::milliseconds max_server_delay{30'000};
};

// What the server asked for with RetryInfo, or nothing.
std::optional<std::chrono::milliseconds> ServerRetryDelay(const absl::Status& status);

// True where trying again may help: UNAVAILABLE, DEADLINE_EXCEEDED, or any error that carries RetryInfo.
bool MayRetry(const absl::Status& status);

// How long to wait before the next try after `failures` failed ones (from 1), or nothing: give up. `jitter` is in [0,
// 1).
std::optional<std::chrono::milliseconds> RetryDelay(const RetryPolicy& policy, int failures, const absl::Status& status,
                                                    double jitter);

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_RETRY_H_
