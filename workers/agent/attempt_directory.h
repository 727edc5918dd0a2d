// The private directory of an attempt: `spec.json` beside `work`, the runner's working directory, home and temporary
// directory. Mode 0700; removed with its object. One owner.
#ifndef BENCHWIRE_WORKERS_AGENT_ATTEMPT_DIRECTORY_H_
#define BENCHWIRE_WORKERS_AGENT_ATTEMPT_DIRECTORY_H_

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::agent {

class AttemptDirectory {
 public:
  // `name` must not exist below `parent`. The spec's bytes are written as they are. UNAVAILABLE/SPAWN_FAILED.
  static absl::StatusOr<std::unique_ptr<AttemptDirectory>> Create(const std::filesystem::path& parent,
                                                                  const std::string& name, const std::string& spec);
  AttemptDirectory(const AttemptDirectory&) = delete;
  AttemptDirectory& operator=(const AttemptDirectory&) = delete;
  ~AttemptDirectory();

  std::filesystem::path spec() const { return root_ / "spec.json"; }
  std::filesystem::path work() const { return root_ / "work"; }

 private:
  explicit AttemptDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path root_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_ATTEMPT_DIRECTORY_H_
