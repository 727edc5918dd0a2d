// What the agent is told at its start. Time spans are options so that tests are quick.
#ifndef BENCHWIRE_WORKERS_AGENT_OPTIONS_H_
#define BENCHWIRE_WORKERS_AGENT_OPTIONS_H_

#include <chrono>
#include <filesystem>
#include <string>

#include "workers/agent/outbox.h"

namespace benchwire::agent {

struct AgentOptions {
  // `host:port`.
  std::string server;
  // `workers/W`.
  std::string worker;
  // Private directories of attempts are made in here; exists, mode 0700.
  std::filesystem::path work_dir;
  // Ends of attempts that the server may not know yet, see spool.h; exists, outlives the agent.
  std::filesystem::path spool_dir;
  // The agent's own executable, see keeper.h.
  std::string keeper = "/proc/self/exe";
  // Jobs at a time.
  int slots = 1;

  std::chrono::milliseconds lease_wait{30'000};
  // Deadline of a unary call.
  std::chrono::milliseconds call_timeout{10'000};
  std::chrono::milliseconds backoff_base{200};
  std::chrono::milliseconds backoff_cap{10'000};
  // From SIGTERM to SIGKILL.
  std::chrono::milliseconds kill_delay{10'000};
  // How long before the end of the session's time to live runners are stopped.
  std::chrono::milliseconds fence_margin{10'000};
  // How long to wait for acknowledgements before asking what is missing.
  std::chrono::milliseconds acknowledge_wait{5'000};
  // How long an agent that starts tries to deliver what an earlier one left, from the server's first answer on.
  std::chrono::milliseconds redelivery_patience{60'000};
  // How long a stopping agent waits for its attempts.
  std::chrono::milliseconds stop_wait{14'000};

  // Log of an attempt: bytes kept from its start and from its end.
  size_t log_head = size_t{8} << 20;
  size_t log_tail = size_t{1} << 20;
  OutboxLimits outbox;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_OPTIONS_H_
