// Ends of attempts that the server may not know yet, kept on disk so that neither an agent that is killed nor a machine
// that restarts loses a result: each is written, with fsync, before it is sent, and removed once the server took it or
// called it stale. What a runner that has not ended had reported is not kept: it ends with its agent, and the job runs
// again.
//
// One file each, in a directory of one owner. Keep and Remove: any thread, for different attempts. List: before them.
#ifndef BENCHWIRE_WORKERS_AGENT_SPOOL_H_
#define BENCHWIRE_WORKERS_AGENT_SPOOL_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchwire/v1/agent_service.pb.h"

namespace benchwire::agent {

// How an attempt ended, and what of its report the server had not acknowledged.
struct FinishedAttempt {
  // Of the agent that ran it.
  std::string incarnation;
  v1::CompleteAttemptRequest completion;
  // In order; the last one's number is completion.last_sequence.
  std::vector<v1::ReportRequest> batches;

  const std::string& name() const { return completion.fence().attempt(); }
};

class Spool {
 public:
  // `directory` exists.
  explicit Spool(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // On disk when it returns. UNAVAILABLE/SPOOL.
  absl::Status Keep(const FinishedAttempt& finished);
  void Remove(const std::string& attempt);
  // By name. A file that cannot be read is put aside as NAME.unreadable, and said so in the log.
  std::vector<FinishedAttempt> List() const;

 private:
  std::filesystem::path PathOf(const std::string& attempt) const;

  const std::filesystem::path directory_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_SPOOL_H_
