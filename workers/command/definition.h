// A command as the worker's configuration defines it: one file NAME.json in a directory (README.md, "Run any program as
// a benchmark", describes the format). Parsing is strict: an unknown key, a repeated key, a wrong type or a value out
// of range is an error that names file, path, value and what would be right. Pure but for LoadDefinitions; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_DEFINITION_H_
#define BENCHWIRE_WORKERS_COMMAND_DEFINITION_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workers/command/parameter.h"
#include "workers/command/rule.h"
#include "workers/command/template.h"
#include "workers/kit/result.h"

namespace benchwire::command {

// What a program may use. Zero or absent: no limit of ours.
struct Limits {
  std::chrono::nanoseconds wall_time{0};
  std::int64_t memory_bytes = 0;                       // Of all its processes together.
  std::int64_t processes = 4096;                       // And threads, of all its processes together.
  std::int64_t open_files = 1024;                      // Of each process.
  std::int64_t file_bytes = std::int64_t{16} << 30;    // Of each file it writes.
  std::int64_t output_bytes = std::int64_t{64} << 20;  // Standard output and standard error together.
};

// A file put into the working directory before the start: a text, or a copy of a file beside the definition.
struct ProvidedFile {
  std::optional<Template> text;
  std::string copy;
  bool executable = false;
};

struct Definition {
  std::string name;
  std::string description;
  std::filesystem::path directory;  // Of its file; absolute.
  std::vector<Template> argv;
  std::vector<std::string> version_argv;  // Prints the program's version. Empty: none.
  Parameters parameters;
  std::vector<std::string> environment_allowed;
  std::map<std::string, Template> environment_set;
  Limits limits;
  std::map<std::string, ProvidedFile> files;
  std::set<int> success_exit_codes = {0};
  std::set<int> retry_exit_codes;
  bool contract = false;  // The program writes events itself; `rules` is empty.
  std::vector<Rule> rules;
};

// Places every template may name beside the parameters: seed, work_dir, devices, definition_dir.
const std::set<std::string>& BuiltInNames();

// The text of `file`, a path NAME.json. BAD_DEFINITION.
kit::Result<Definition> ParseDefinition(const std::string& text, const std::filesystem::path& file);

using Definitions = std::map<std::string, Definition>;

// Every *.json of a directory; other files are left alone. BAD_DEFINITION for the first that is wrong, in the order of
// their names, or for a directory that cannot be read or holds more than 256.
kit::Result<Definitions> LoadDefinitions(const std::filesystem::path& directory);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_DEFINITION_H_
