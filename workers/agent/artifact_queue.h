// Files of an attempt on their way into its report: opened when the runner names them, read when there is room. Only
// regular files below the working directory, reached without a link; nothing outside can be named, whatever the runner
// puts there meanwhile. One thread.
#ifndef BENCHWIRE_WORKERS_AGENT_ARTIFACT_QUEUE_H_
#define BENCHWIRE_WORKERS_AGENT_ARTIFACT_QUEUE_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchwire/v1/agent_service.pb.h"
#include "benchwire/v1/runner.pb.h"
#include "server/base/sha256.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {

struct ArtifactLimits {
  size_t files = 1'000;
  int64_t bytes = int64_t{256} << 20;  // In all.
  size_t piece = size_t{256} << 10;    // Of a chunk.
};

class ArtifactQueue {
 public:
  explicit ArtifactQueue(const ArtifactLimits& limits) : limits_(limits) {}

  // The runner's working directory. Before the first Add.
  void SetDirectory(std::filesystem::path directory) { directory_ = std::move(directory); }

  // INVALID_ARGUMENT/BAD_FIELD: not such a file, named before, or beyond the limits.
  absl::Status Add(const v1::ArtifactFile& file);
  bool empty() const { return waiting_.empty(); }
  // The next part, in order. INVALID_ARGUMENT/BAD_FIELD: the file became shorter, or cannot be read. Not where empty.
  absl::StatusOr<v1::ArtifactChunk> Next();

 private:
  struct Waiting {
    std::string path, media_type;
    FileDescriptor file;
    int64_t size = 0;
    int64_t sent = 0;
    Sha256Stream hash;
  };

  absl::StatusOr<FileDescriptor> Open(const std::string& path) const;

  const ArtifactLimits limits_;
  std::filesystem::path directory_;
  std::set<std::string> paths_;  // Of all so far.
  int64_t bytes_ = 0;            // Of all so far.
  std::deque<Waiting> waiting_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_ARTIFACT_QUEUE_H_
