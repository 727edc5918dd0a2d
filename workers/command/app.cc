#include "workers/command/app.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "workers/command/definition.h"
#include "workers/command/program.h"
#include "workers/command/report.h"
#include "workers/command/run.h"
#include "workers/kit/console.h"
#include "workers/kit/ending.h"
#include "workers/kit/event_writer.h"

namespace benchwire::command {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultSeed = 1;

int ExitOf(const kit::Error& error) {
  for (const char* code : {"BAD_SPEC", "BAD_USAGE", "SPEC_UNREADABLE", "BAD_DEFINITION"}) {
    if (error.code == code) return kit::kExitBadSpec;
  }
  return error.code == "TRY_AGAIN" ? kit::kExitTryAgain : kit::kExitFailed;
}

int Fail(const kit::Error& error, kit::EventSink* sink) { return kit::Fail(error, sink, ExitOf(error)); }

// Empty where none is named.
std::string DirectoryOf(const AppOptions& options) {
  const char* from_worker = options.get_variable("BENCHWIRE_COMMANDS");
  return options.line.commands.empty() && from_worker != nullptr ? from_worker : options.line.commands;
}

kit::Result<Definitions> Load(const AppOptions& options) {
  if (const std::string directory = DirectoryOf(options); !directory.empty()) return LoadDefinitions(directory);
  return kit::Error{"BAD_USAGE", "no directory of definitions; want --commands DIR or BENCHWIRE_COMMANDS"};
}

// A command whose program is not here cannot be run here; it is named with the reason.
int Describe(const AppOptions& options) {
  const bool any = !DirectoryOf(options).empty();
  const kit::Result<Definitions> definitions = any ? Load(options) : kit::Result<Definitions>(Definitions());
  if (!definitions.ok()) return Fail(definitions.error(), nullptr);
  kit::Description description{"command", BENCHWIRE_VERSION, {}, {}, {}};
  for (const auto& [name, definition] : *definitions) {
    const std::string program = definition.argv[0].Expand({{"definition_dir", definition.directory.string()}});
    const bool made_for_the_run = program.find('{') != std::string::npos || definition.files.contains(program);
    const auto found = FindProgram(program, SearchPath(definition, options.get_variable));
    if (made_for_the_run || found.ok()) {
      description.backends.push_back(name);
    } else {
      description.unavailable_backends[name] = found.error().code + ": " + found.error().message;
    }
    for (const std::string& variable : definition.environment_allowed) description.environment.insert(variable);
  }
  return kit::PrintText(kit::DescriptionJson(description) + "\n");
}

kit::Result<Spec> SpecOf(const AppOptions& options) {
  if (!options.line.command.empty()) return Spec{options.line.command, options.line.parameters};
  const std::optional<std::string>& path = options.line.spec_path ? options.line.spec_path : options.input.spec_path;
  if (!path) return kit::Error{"BAD_USAGE", "nothing to run; want NAME or --spec FILE (see --list)"};
  kit::Result<std::string> text = kit::ReadSpecFile(*path);
  return text.ok() ? ParseSpec(*text) : kit::Result<Spec>(text.error());
}

// A directory to run in: the worker's, the one named, or a new one that goes with this object.
class WorkDirectory {
 public:
  WorkDirectory() = default;
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (temporary_) fs::remove_all(path_, ignored);
  }

  kit::Status Open(const AppOptions& options) {
    std::error_code error;
    if (!options.line.work_dir.empty()) {
      path_ = fs::absolute(options.line.work_dir, error);
      if (!error) fs::create_directories(path_, error);
    } else if (options.input.events_fd) {
      path_ = fs::current_path(error);
    } else {
      std::string name = (fs::temp_directory_path(error) / "benchwire-command-XXXXXX").string();
      if (!error && mkdtemp(name.data()) == nullptr) error = std::error_code(errno, std::generic_category());
      path_ = name;
      temporary_ = !error;
    }
    if (!error) return kit::Status();
    return kit::Error{"WRITE_FAILED", "the directory to run in: " + error.message()};
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool temporary_ = false;
};

// Passes events on and remembers whether a measurement was not OK.
class Watch final : public kit::EventSink {
 public:
  explicit Watch(kit::EventSink& next) : next_(next) {}
  kit::Status Write(const kit::Event& event) override {
    const auto* row = std::get_if<kit::Measurement>(&event);
    good_ = good_ && (row == nullptr || row->status == kit::RowStatus::kOk);
    return next_.Write(event);
  }
  bool good() const { return good_; }

 private:
  kit::EventSink& next_;
  bool good_ = true;
};

int Run(const AppOptions& options, kit::EventSink& sink) {
  const kit::Result<Spec> spec = SpecOf(options);
  if (!spec.ok()) return Fail(spec.error(), &sink);
  const kit::Result<Definitions> definitions = Load(options);
  if (!definitions.ok()) return Fail(definitions.error(), &sink);
  const auto definition = definitions->find(spec->command);
  if (definition == definitions->end()) {
    std::string known;
    for (const auto& [name, unused] : *definitions) known += " " + name;
    return Fail({"NO_COMMAND", "no command " + spec->command + " is defined here; there are:" + known}, &sink);
  }
  WorkDirectory directory;
  if (const kit::Status status = directory.Open(options); !status.ok()) return Fail(status.error(), &sink);
  RunOptions run;
  run.parameters = spec->parameters;
  run.seed = options.line.seed.value_or(options.input.seed.value_or(kDefaultSeed));
  run.devices = options.input.devices;
  run.work_dir = directory.path();
  run.get_variable = options.get_variable;
  run.cancelled = options.cancelled;
  // By hand the standard output is for the table or the events.
  run.out_fd = options.input.events_fd ? STDOUT_FILENO : STDERR_FILENO;
  Watch watch(sink);
  if (const kit::Status status = RunCommand(definition->second, run, watch); !status.ok()) {
    return Fail(status.error(), &sink);
  }
  return options.line.fail_on_verdict && !watch.good() ? kit::kExitVerdict : kit::kExitComplete;
}

}  // namespace

int RunApp(const AppOptions& options) {
  if (options.line.help) return kit::PrintText(*options.line.help);
  if (options.line.describe) return Describe(options);
  if (options.line.list) {
    const kit::Result<Definitions> definitions = Load(options);
    return definitions.ok() ? kit::PrintText(CommandsText(*definitions)) : Fail(definitions.error(), nullptr);
  }
  if (options.input.events_fd || options.line.json) {
    kit::EventWriter writer(options.input.events_fd.value_or(STDOUT_FILENO));
    return Run(options, writer);
  }
  kit::Console console(stdout, stderr, isatty(STDERR_FILENO) != 0, RowsText);
  return Run(options, console);
}

}  // namespace benchwire::command
