#include "clients/cli/runners.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "clients/cli/child.h"
#include "clients/cli/json.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

bool IsProgram(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> RunnerDirectories(const std::string& runners_dir) {
  if (!runners_dir.empty()) return {runners_dir};
  std::vector<std::string> out;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) out.push_back(self.parent_path().string());
  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (!directory.empty()) out.push_back(directory);
  }
  return out;
}

absl::StatusOr<std::string> FindRunner(const std::string& kind, const std::vector<std::string>& directories) {
  std::string looked;
  for (const std::string& directory : directories) {
    const std::string path = directory + "/benchwire-" + kind;
    if (IsProgram(path)) return path;
    looked += (looked.empty() ? "" : ", ") + directory;
  }
  return absl::NotFoundError("no runner benchwire-" + kind + " in " + looked +
                             "; --runners DIR names another directory");
}

absl::StatusOr<v1::RunnerDescription> DescribeRunner(const std::string& path) {
  static constexpr std::chrono::milliseconds kTimeout{20'000};
  ASSIGN_OR_RETURN(const std::string json, OutputOf({path, "--describe"}, kTimeout));
  v1::RunnerDescription description;
  RETURN_IF_ERROR(FromJson(path + " --describe", json, UnknownFields::kIgnore, description));
  return description;
}

}  // namespace benchwire::cli
