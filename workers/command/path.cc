#include "workers/command/path.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "workers/command/descriptor.h"

namespace benchwire::command {
namespace {

namespace fs = std::filesystem;

// Entries looked at while a pattern is matched.
constexpr int kMaxEntries = 100'000;

bool HasWildcard(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

// Files below `directory` that the names from `index` on lead to. Links are not followed.
void Match(const fs::path& directory, const fs::path& so_far, const std::vector<std::string>& names, std::size_t index,
           int* entries, std::vector<std::string>* found) {
  if (index == names.size()) {
    found->push_back(so_far.string());
    return;
  }
  if (!HasWildcard(names[index])) {
    std::error_code error;
    const auto status = fs::symlink_status(directory / so_far / names[index], error);
    if (!error && fs::exists(status)) Match(directory, so_far / names[index], names, index + 1, entries, found);
    return;
  }
  std::error_code error;
  for (fs::directory_iterator it(directory / so_far, error), end; !error && it != end; it.increment(error)) {
    if (++*entries > kMaxEntries) return;
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const bool fits = fnmatch(names[index].c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0;
    const bool goes_on = index + 1 == names.size() || it->symlink_status(ignored).type() == fs::file_type::directory;
    if (fits && goes_on) Match(directory, so_far / name, names, index + 1, entries, found);
  }
}

kit::Result<std::string> Find(const fs::path& directory, const std::string& pattern) {
  if (!HasWildcard(pattern)) return pattern;
  std::vector<std::string> names;
  for (const fs::path& name : fs::path(pattern)) names.push_back(name.string());
  std::vector<std::string> found;
  int entries = 0;
  Match(directory, {}, names, 0, &entries, &found);
  if (entries > kMaxEntries) return kit::Error{"AMBIGUOUS_FILE", pattern + ": too many files to look at"};
  if (found.empty()) return kit::Error{"MISSING_FILE", pattern + ": the program left no such file"};
  if (found.size() == 1) return found[0];
  return kit::Error{"AMBIGUOUS_FILE", pattern + ": " + std::to_string(found.size()) + " files match, such as " +
                                          found[0] + " and " + found[1] + "; want one"};
}

int OpenInside(const fs::path& directory, const std::string& path) {
  const Descriptor root(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) return -1;
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how));
}

kit::Error Unreadable(const std::string& path, const std::string& why) {
  return {"UNREADABLE_FILE", path + ": " + why};
}

}  // namespace

bool IsInside(const std::string& path) {
  if (path.empty() || path.size() > 1024 || path.front() == '/' || path.back() == '/') return false;
  for (unsigned char c : path) {
    if (c < 0x20 || c == 0x7F) return false;
  }
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, end - start);
    if (name.empty() || name == "." || name == "..") return false;
    start = end + 1;
  }
  return true;
}

kit::Result<FoundFile> ReadInside(const fs::path& directory, const std::string& pattern, std::size_t max_bytes) {
  kit::Result<std::string> path = Find(directory, pattern);
  if (!path.ok()) return path.error();
  const Descriptor fd(OpenInside(directory, *path));
  if (fd.get() < 0) {
    if (errno == ENOENT) return kit::Error{"MISSING_FILE", *path + ": the program left no such file"};
    return Unreadable(*path, errno == ELOOP || errno == EXDEV ? "it is or passes a link" : std::strerror(errno));
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return Unreadable(*path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return Unreadable(*path, "not a plain file");
  FoundFile out{*path, ""};
  for (;;) {
    char buffer[65'536];
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unreadable(*path, std::strerror(errno));
    if (got == 0) return out;
    out.bytes.append(buffer, static_cast<std::size_t>(got));
    if (out.bytes.size() > max_bytes) {
      return kit::Error{"FILE_TOO_LARGE", *path + ": more than " + std::to_string(max_bytes) + " bytes"};
    }
  }
}

kit::Status WriteInside(const fs::path& directory, const std::string& path, const std::string& bytes, bool executable) {
  const auto fail = [&path](int error) { return kit::Error{"WRITE_FAILED", path + ": " + std::strerror(error)}; };
  std::error_code error;
  fs::create_directories((directory / path).parent_path(), error);
  if (error) return fail(error.value());
  const Descriptor fd(open((directory / path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                           executable ? 0700 : 0600));
  if (fd.get() < 0) return fail(errno);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(errno);
    done += static_cast<std::size_t>(written);
  }
  return kit::Status();
}

}  // namespace benchwire::command
