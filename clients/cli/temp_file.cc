#include "clients/cli/temp_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "clients/cli/output.h"

namespace benchwire::cli {

absl::StatusOr<std::unique_ptr<TempFile>> TempFile::Create(const std::string& stem, const std::string& suffix,
                                                           const std::string& content) {
  const char* directory = std::getenv("TMPDIR");
  std::string path =
      std::string(directory == nullptr || *directory == '\0' ? "/tmp" : directory) + "/" + stem + "XXXXXX" + suffix;
  const int fd = ::mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (fd < 0) return absl::UnknownError("cannot make " + path + ": " + std::strerror(errno));
  std::unique_ptr<TempFile> file(new TempFile(path));
  Output output(fd);
  output.Write(content);
  ::close(fd);
  if (!output.ok()) return absl::UnknownError(path + ": " + std::string(output.status().message()));
  return file;
}

TempFile::~TempFile() {
  if (!keep_) ::unlink(path_.c_str());
}

}  // namespace benchwire::cli
