// The keeper: a small process between the agent and each runner, so that nothing a runner started outlives it or the
// agent.
//
// The agent cannot fork (gRPC has threads), and posix_spawn cannot set a parent-death signal. So the agent spawns
// itself again as `benchwire-worker --exec-runner PARENT_PID STATUS_FD SILENCE_MS -- PROGRAM ARGUMENT…`, which is
// single-threaded, may fork, and:
//  - asks the kernel for SIGUSR1 when the agent thread that spawned it ends (that thread waits for the keeper, so it
//  ends
//    early only with the agent, even by SIGKILL), and gives the runner SIGKILL for the case that the keeper itself is
//    killed;
//  - becomes a child subreaper: processes that left the runner's group by setsid or a double fork come back to it;
//  - runs the runner in a process group of its own, without core dumps;
//  - on SIGTERM sends SIGTERM to the runner's group; on SIGUSR1 SIGKILL;
//  - kills the runner where no SIGUSR2, the agent's sign of life, came for SILENCE_MS: an agent that stands still (a
//    stopped process, a frozen control group) cannot keep its promise to stop its runner before the lease ends;
//  - when the runner has ended, kills its group and every descendant left, then says how it ended and exits.
// It writes lines to STATUS_FD: `pid N`, then one of `exit CODE`, `signal NUMBER`, `exec ERRNO` (not started), and
// `left` where something could not be killed within 10 s, `stalled` where the agent was silent. The runner inherits
// stdin, stdout, stderr and descriptor kEventsFd.
#ifndef BENCHWIRE_WORKERS_AGENT_KEEPER_H_
#define BENCHWIRE_WORKERS_AGENT_KEEPER_H_

#include <csignal>

namespace benchwire::agent {

inline constexpr char kKeeperFlag[] = "--exec-runner";
// Descriptor of the event stream in the runner.
inline constexpr int kEventsFd = 3;
// Descriptor of the status pipe in the keeper.
inline constexpr int kStatusFd = 4;
// What the keeper waits for; blocked in it from its first instruction.
inline constexpr int kKeeperSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};

// For the agent, in case that a keeper itself is killed, by the kernel for want of memory or by an operator: what that
// keeper's runner had left behind comes to the agent's process.
void AdoptOrphans();
// Kills and reaps what has come: every child that is not named as a keeper. False where something survived for 10 s.
bool KillOrphans();

// The whole life of a keeper; argv[1] is kKeeperFlag. Called by main before anything else. Returns the exit status.
int KeeperMain(int argc, char** argv);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_KEEPER_H_
