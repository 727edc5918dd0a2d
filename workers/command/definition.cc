#include "workers/command/definition.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "workers/command/path.h"
#include "workers/kit/text.h"

namespace benchwire::command {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::size_t kMaxDefinitionBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDefinitions = 256;
constexpr std::size_t kMaxArguments = 256;
constexpr std::size_t kMaxArgumentBytes = 4096;
constexpr std::size_t kMaxParameters = 64;
constexpr std::size_t kMaxVariables = 64;
constexpr std::size_t kMaxFiles = 64;
constexpr std::size_t kMaxFileBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxRules = 64;
constexpr std::size_t kMaxDescription = 1024;

// Reads one file; errors go into the readers.
class Parser {
 public:
  Parser(kit::SpecReader& reader, Definition* out) : reader_(reader), out_(*out) {}

  void Read() {
    std::string name;
    reader_.Text("name", 63, &name);
    if (name != out_.name || !IsCommandName(name)) {
      reader_.Refuse("name", kit::Quoted(name), "the name of the file without .json, of [a-z0-9-]{1,63}");
    }
    reader_.AnyText("description", kMaxDescription, &out_.description);
    ReadParameters();
    ReadArguments();
    reader_.Texts("version_argv", kMaxArguments, kMaxArgumentBytes, &out_.version_argv);
    reader_.Object("environment", [this](kit::SpecReader& environment) { ReadEnvironment(environment); });
    reader_.Object("limits", [this](kit::SpecReader& limits) { ReadLimits(limits); });
    reader_.Members("files", kMaxFiles,
                    [this](const std::string& path, kit::SpecReader& file) { ReadFile(path, file); });
    ReadExitCodes();
    if (!reader_.Object("output", [this](kit::SpecReader& output) { ReadOutput(output); })) {
      reader_.Refuse("output", "absent", "an object with rules, or with \"contract\": true");
    }
  }

 private:
  static bool IsCommandName(const std::string& name) {
    return !name.empty() && name.size() <= 63 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  }

  static bool IsVariable(const std::string& name) {
    return !name.empty() && name.size() <= 128 && (name[0] < '0' || name[0] > '9') &&
           name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               std::string::npos &&
           !name.starts_with("BENCHWIRE_");
  }

  void ReadParameters() {
    reader_.Members("parameters", kMaxParameters, [this](const std::string& name, kit::SpecReader& parameter) {
      out_.parameters[name] = ReadParameter(parameter);
      if (IsName(name) && !BuiltInNames().contains(name)) return;
      parameter.Refuse("name", kit::Quoted(name), "a name of [a-z][a-z0-9_]{0,62} other than those every command has");
    });
  }

  // A template all of whose places are known.
  std::optional<Template> ToTemplate(kit::SpecReader& reader, const std::string& field, const std::string& text) {
    kit::Result<Template> parsed = Template::Parse(text);
    if (!parsed.ok()) {
      reader.Refuse(field, kit::Quoted(text), parsed.error().message);
      return std::nullopt;
    }
    for (const std::string& name : parsed->Names()) {
      if (out_.parameters.contains(name) || BuiltInNames().contains(name)) continue;
      std::string want = "a parameter or one of";
      for (const std::string& known : BuiltInNames()) want += " " + known;
      reader.Refuse(field, "{" + name + "}", want);
    }
    return std::move(*parsed);
  }

  bool NamesParameter(const Template& text) const {
    const auto names = text.Names();
    return std::any_of(names.begin(), names.end(),
                       [this](const std::string& name) { return out_.parameters.contains(name); });
  }

  void ReadArguments() {
    std::vector<std::string> texts;
    reader_.Texts("argv", kMaxArguments, kMaxArgumentBytes, &texts);
    if (texts.empty()) return reader_.Refuse("argv", "absent or empty", "the program and its arguments");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string field = "argv[" + std::to_string(i) + "]";
      const auto argument = ToTemplate(reader_, field, texts[i]);
      if (!argument) return;
      if (NamesParameter(*argument) && i == 0) {
        reader_.Refuse(field, kit::Quoted(texts[i]), "a program that no parameter chooses");
      }
      if (NamesParameter(*argument) && IsShellText(texts, i)) {
        reader_.Refuse(field, kit::Quoted(texts[i]),
                       "parameters as arguments after the script, which reads them as \"$1\": in the script a value "
                       "would be run as shell text");
      }
      out_.argv.push_back(*argument);
    }
  }

  // Whether argument `index` is program text of an interpreter, as in `sh -c TEXT`.
  static bool IsShellText(const std::vector<std::string>& argv, std::size_t index) {
    if (index < 1) return false;
    const std::string& option = argv[index - 1];
    const bool is_code =
        option.size() > 1 && option[0] == '-' && option[1] != '-' && (option.back() == 'c' || option.back() == 'e');
    if (!is_code) return false;
    static const char* const kInterpreters[] = {"sh",   "bash",    "dash",   "ash",  "ksh",  "zsh",
                                                "fish", "busybox", "python", "perl", "ruby", "node"};
    return std::any_of(argv.begin(), argv.begin() + static_cast<std::ptrdiff_t>(index), [](const std::string& word) {
      std::string name = fs::path(word).filename().string();
      name.erase(std::min(name.find_first_of("0123456789."), name.size()));
      return std::find(std::begin(kInterpreters), std::end(kInterpreters), name) != std::end(kInterpreters);
    });
  }

  void ReadEnvironment(kit::SpecReader& reader) {
    static constexpr char kWant[] = "names of variables, not BENCHWIRE_*";
    reader.Texts("allow", kMaxVariables, 128, &out_.environment_allowed);
    for (const std::string& name : out_.environment_allowed) {
      if (!IsVariable(name)) reader.Refuse("allow", kit::Quoted(name), kWant);
    }
    std::map<std::string, std::string> set;
    reader.TextMap("set", kMaxVariables, kMaxArgumentBytes, &set);
    for (const auto& [name, text] : set) {
      if (!IsVariable(name)) reader.Refuse("set." + name, kit::Quoted(text), kWant);
      if (const auto value = ToTemplate(reader, "set." + name, text)) out_.environment_set.emplace(name, *value);
    }
  }

  void ReadLimits(kit::SpecReader& reader) {
    static constexpr std::int64_t kMost = std::int64_t{1} << 50;
    Limits& limits = out_.limits;
    reader.Duration("wall_time", milliseconds(1), hours(24 * 30), &limits.wall_time);
    reader.Integer("memory_bytes", std::int64_t{1} << 20, kMost, &limits.memory_bytes);
    reader.Integer("processes", 1, 4'000'000, &limits.processes);
    reader.Integer("open_files", 8, 1'000'000, &limits.open_files);
    reader.Integer("file_bytes", 4096, kMost, &limits.file_bytes);
    reader.Integer("output_bytes", 1, kMost, &limits.output_bytes);
  }

  void ReadFile(const std::string& path, kit::SpecReader& reader) {
    ProvidedFile file;
    std::string text;
    const bool has_text = reader.Has("text");
    reader.AnyText("text", kMaxFileBytes, &text);
    reader.AnyText("copy", 1024, &file.copy);
    reader.Boolean("executable", &file.executable);
    if (!IsInside(path)) reader.Refuse("path", kit::Quoted(path), "a path inside the working directory");
    if (has_text == reader.Has("copy")) reader.Refuse("text", "beside or without copy", "either text or copy");
    if (!has_text && !IsInside(file.copy)) {
      reader.Refuse("copy", kit::Quoted(file.copy), "the path of a file beside the definition");
    }
    if (has_text) file.text = ToTemplate(reader, "text", text);
    if (file.text) {
      for (const std::string& name : file.text->Names()) {
        const auto found = out_.parameters.find(name);
        const bool free = found != out_.parameters.end() && found->second.type == ParameterType::kString;
        if (free && !found->second.pattern) {
          reader.Refuse("text", "{" + name + "}",
                        "a parameter with a pattern: in a file a value could be more than a value");
        }
      }
    }
    out_.files[path] = std::move(file);
  }

  void ReadExitCodes() {
    std::vector<std::int64_t> success = {0};
    std::vector<std::int64_t> retry;
    reader_.Integers("success_exit_codes", 32, 0, 255, &success);
    reader_.Integers("retry_exit_codes", 32, 1, 255, &retry);
    if (success.empty()) reader_.Refuse("success_exit_codes", "[]", "at least one");
    const auto to_int = [](std::int64_t code) { return static_cast<int>(code); };
    out_.success_exit_codes.clear();
    std::transform(success.begin(), success.end(),
                   std::inserter(out_.success_exit_codes, out_.success_exit_codes.end()), to_int);
    std::transform(retry.begin(), retry.end(), std::inserter(out_.retry_exit_codes, out_.retry_exit_codes.end()),
                   to_int);
    for (const int code : out_.retry_exit_codes) {
      if (out_.success_exit_codes.contains(code)) {
        reader_.Refuse("retry_exit_codes", std::to_string(code), "codes that are not of success too");
      }
    }
  }

  void ReadOutput(kit::SpecReader& reader) {
    reader.Boolean("contract", &out_.contract);
    reader.Objects("rules", kMaxRules, [this](kit::SpecReader& rule) {
      out_.rules.push_back(ReadRule(rule, out_.name));
      for (const auto& [key, label] : out_.rules.back().labels) {
        for (const std::string& name : label.Names()) {
          if (out_.parameters.contains(name) || name == "seed") continue;
          rule.Refuse("labels." + key, "{" + name + "}", "a parameter or seed");
        }
      }
    });
    if (out_.contract == out_.rules.empty()) return;
    reader.Refuse("rules", out_.contract ? "present beside contract" : "absent or empty",
                  "either rules that read the output, or \"contract\": true");
  }

  kit::SpecReader& reader_;
  Definition& out_;
};

kit::Error BadDefinition(const fs::path& file, const std::string& what) {
  return {"BAD_DEFINITION", file.string() + ": " + what};
}

kit::Result<Definition> LoadDefinition(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxDefinitionBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad() || (in.fail() && !in.eof())) return BadDefinition(file, "cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxDefinitionBytes) return BadDefinition(file, "more than 1 MiB");
  return ParseDefinition(text, file);
}

}  // namespace

const std::set<std::string>& BuiltInNames() {
  static const std::set<std::string> kNames = {"seed", "work_dir", "devices", "definition_dir"};
  return kNames;
}

kit::Result<Definition> ParseDefinition(const std::string& text, const fs::path& file) {
  kit::Result<kit::SpecReader> reader = kit::SpecReader::Parse(text, "definition");
  if (!reader.ok()) return BadDefinition(file, reader.error().message);
  Definition out;
  out.name = file.stem().string();
  out.directory = fs::absolute(file).parent_path();
  Parser(*reader, &out).Read();
  if (const kit::Status status = reader->Finish(); !status.ok()) return BadDefinition(file, status.error().message);
  return out;
}

kit::Result<Definitions> LoadDefinitions(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  if (error) return BadDefinition(directory, "the directory of commands cannot be read: " + error.message());
  if (files.size() > kMaxDefinitions)
    return BadDefinition(directory, std::to_string(files.size()) + " files; want at most 256");
  std::sort(files.begin(), files.end());
  Definitions out;
  for (const fs::path& file : files) {
    kit::Result<Definition> definition = LoadDefinition(file);
    if (!definition.ok()) return definition.error();
    out[definition->name] = std::move(*definition);
  }
  return out;
}

}  // namespace benchwire::command
