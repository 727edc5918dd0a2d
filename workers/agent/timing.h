// The worker's timing decisions as pure functions. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_TIMING_H_
#define BENCHWIRE_WORKERS_AGENT_TIMING_H_

#include <chrono>

#include "server/base/random.h"

namespace benchwire::agent {

// Delay before try `attempt` (from 0) after a transient error: uniform in [0, min(cap, base · 2^attempt)], "full
// jitter" of M. Brooker, Exponential Backoff and Jitter (2015), so that workers do not come back in step after an
// outage.
std::chrono::milliseconds FullJitter(int attempt, std::chrono::milliseconds base, std::chrono::milliseconds cap,
                                     RandomSource& random);

// When to renew next: a third of the time to live, ± 10 %.
std::chrono::milliseconds RenewDelay(std::chrono::milliseconds ttl, RandomSource& random);

// How long after the last successful heartbeat was sent the worker stops its own runners: `margin` before the end of
// the time to live, or half of it where that is shorter than two margins.
std::chrono::milliseconds FenceDelay(std::chrono::milliseconds ttl, std::chrono::milliseconds margin);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_TIMING_H_
