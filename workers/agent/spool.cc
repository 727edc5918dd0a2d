#include "workers/agent/spool.h"

#include <fcntl.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <google/protobuf/wrappers.pb.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "server/base/status.h"
#include "workers/agent/file_descriptor.h"

namespace benchwire::agent {
namespace {

using google::protobuf::io::FileInputStream;
using google::protobuf::io::FileOutputStream;
using google::protobuf::util::ParseDelimitedFromZeroCopyStream;
using google::protobuf::util::SerializeDelimitedToZeroCopyStream;

constexpr char kSuffix[] = ".finished";

absl::Status SpoolError(const std::filesystem::path& path, int error) {
  return MakeError(absl::StatusCode::kUnavailable, "SPOOL", path.string() + ": " + std::strerror(error));
}

// A file is: the incarnation, the completion, the batches, each a message with its length before it.
absl::Status Write(const std::filesystem::path& path, const FinishedAttempt& finished) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.open()) return SpoolError(path, errno);
  google::protobuf::StringValue incarnation;
  incarnation.set_value(finished.incarnation);
  FileOutputStream out(file.get());
  bool good = SerializeDelimitedToZeroCopyStream(incarnation, &out) &&
              SerializeDelimitedToZeroCopyStream(finished.completion, &out);
  for (const v1::ReportRequest& batch : finished.batches) {
    good = good && SerializeDelimitedToZeroCopyStream(batch, &out);
  }
  if (!good || !out.Flush()) return SpoolError(path, out.GetErrno());
  return fsync(file.get()) == 0 ? absl::OkStatus() : SpoolError(path, errno);
}

absl::Status SyncDirectory(const std::filesystem::path& path) {
  const FileDescriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.open() || fsync(directory.get()) != 0) return SpoolError(path, errno);
  return absl::OkStatus();
}

bool Read(const std::filesystem::path& path, FinishedAttempt* finished) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return false;
  FileInputStream in(file.get());
  google::protobuf::StringValue incarnation;
  bool at_end = false;
  if (!ParseDelimitedFromZeroCopyStream(&incarnation, &in, &at_end) ||
      !ParseDelimitedFromZeroCopyStream(&finished->completion, &in, &at_end)) {
    return false;
  }
  finished->incarnation = incarnation.value();
  for (v1::ReportRequest batch; ParseDelimitedFromZeroCopyStream(&batch, &in, &at_end); batch.Clear()) {
    finished->batches.push_back(std::move(batch));
  }
  return at_end;
}

}  // namespace

std::filesystem::path Spool::PathOf(const std::string& attempt) const {
  std::string name = attempt + kSuffix;
  std::replace(name.begin(), name.end(), '/', '-');
  return directory_ / name;
}

absl::Status Spool::Keep(const FinishedAttempt& finished) {
  const std::filesystem::path path = PathOf(finished.name());
  const std::filesystem::path unfinished = path.string() + ".tmp";
  RETURN_IF_ERROR(Write(unfinished, finished));
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) return SpoolError(path, errno);
  return SyncDirectory(directory_);
}

void Spool::Remove(const std::string& attempt) {
  std::error_code ignored;  // It is delivered; a file that stays is found stale at the next start.
  std::filesystem::remove(PathOf(attempt), ignored);
}

std::vector<FinishedAttempt> Spool::List() const {
  std::vector<FinishedAttempt> out;
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    if (path.extension() == ".tmp") std::filesystem::remove(path, error);  // Of a Keep that was cut off.
    if (path.extension() != kSuffix) continue;
    FinishedAttempt finished;
    if (Read(path, &finished)) {
      out.push_back(std::move(finished));
      continue;
    }
    spdlog::error("kept attempt unreadable, put aside path={}.unreadable", path.string());
    std::filesystem::rename(path, path.string() + ".unreadable", error);
  }
  return out;
}

}  // namespace benchwire::agent
