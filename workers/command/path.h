// Paths inside a directory that a program may have written to. Any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_PATH_H_
#define BENCHWIRE_WORKERS_COMMAND_PATH_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "workers/kit/result.h"

namespace benchwire::command {

// True for a relative path of plain names, which cannot lead out of the directory it starts from.
bool IsInside(const std::string& path);

struct FoundFile {
  std::string path;  // In the directory.
  std::string bytes;
};

// The file that `pattern` means below `directory`: `*` and `?` stand for parts of a name. It is read without following
// a link and only where it is a plain file, for the program may have left there what it likes. MISSING_FILE,
// AMBIGUOUS_FILE where several match, UNREADABLE_FILE, FILE_TOO_LARGE above `max_bytes`.
kit::Result<FoundFile> ReadInside(const std::filesystem::path& directory, const std::string& pattern,
                                  std::size_t max_bytes);

// Writes a file below `directory`, and the folders above it, with mode 0600, or 0700 where it is a program.
kit::Status WriteInside(const std::filesystem::path& directory, const std::string& path, const std::string& bytes,
                        bool executable);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_PATH_H_
