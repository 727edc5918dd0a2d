#include "clients/cli/json.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/status.h"

namespace benchwire::cli {
namespace {

absl::StatusOr<std::string> Print(const google::protobuf::Message& message, bool pretty) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = pretty;
  std::string out;
  const auto status = google::protobuf::util::MessageToJsonString(message, &out, options);
  if (!status.ok()) return absl::InternalError("cannot write JSON: " + std::string(status.message()));
  return out;
}

absl::Status FileError(const std::string& path, int error) {
  const std::string message = FileTitle(path) + ": " + std::strerror(error);
  return error == ENOENT ? absl::NotFoundError(message) : absl::UnknownError(message);
}

}  // namespace

absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message) { return Print(message, false); }
absl::StatusOr<std::string> ToPrettyJson(const google::protobuf::Message& message) { return Print(message, true); }

absl::Status FromJson(const std::string& from, const std::string& text, UnknownFields unknown,
                      google::protobuf::Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = unknown == UnknownFields::kIgnore;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &message, options);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(from + ": not the JSON of a " + message.GetDescriptor()->name() + ": " +
                                    std::string(status.message()));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  static constexpr size_t kMost = 16 << 20;
  const bool standard_input = path == "-";
  const int fd = standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(path, errno);
  std::string out;
  char buffer[65536];
  ssize_t got = 0;
  int error = 0;
  do {
    got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) out.append(buffer, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) error = errno;
  } while (error == 0 && got != 0 && out.size() <= kMost);
  if (!standard_input) ::close(fd);
  if (error != 0) return FileError(path, error);
  if (out.size() > kMost) return absl::ResourceExhaustedError(FileTitle(path) + ": more than 16 MiB");
  return out;
}

std::string Normalised(const std::string& text) {
  static constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
  std::string out;
  out.reserve(text.size());
  for (size_t i = text.rfind(kByteOrderMark, 0) == 0 ? 3 : 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') continue;
      out += '\n';
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string FileTitle(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace benchwire::cli
