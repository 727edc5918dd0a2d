// Very many workers in one process, each with a connection of its own, that wait in LeaseJob and renew their sessions.
#ifndef BENCHWIRE_TESTS_BENCH_DURABLE_IDLE_WORKERS_H_
#define BENCHWIRE_TESTS_BENCH_DURABLE_IDLE_WORKERS_H_

namespace benchwire::bench {

inline constexpr char kIdleWorkersFlag[] = "--idle-workers";

// `PROGRAM --idle-workers PORT PREFIX COUNT`. Prints `ready` once all wait, and then runs until SIGTERM. Returns the
// exit status; another than 0 where a call failed.
int RunIdleWorkers(int argc, char** argv);

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_DURABLE_IDLE_WORKERS_H_
