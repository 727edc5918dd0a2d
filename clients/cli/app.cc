#include "clients/cli/app.h"

#include <exception>
#include <memory>
#include <sstream>
#include <utility>

#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/text.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

std::unique_ptr<CLI::App> MakeTree(CommandLine& line) {
  auto root = std::make_unique<CLI::App>(
      "Benchwire: submit benchmark jobs, read what they measured, write and publish digests.", "benchwire");
  root->require_subcommand(1);
  root->fallthrough();
  root->set_version_flag("--version", "benchwire " BENCHWIRE_VERSION);
  root->add_option("--server", line.globals.server, "Address of the server")
      ->envname("BENCHWIRE_SERVER")
      ->capture_default_str()
      ->type_name("HOST:PORT");
  root->add_flag("--json", line.globals.json,
                 "Print JSON for programs: one object, or one on each line of a list or stream");
  root->footer(std::string("Examples:\n"
                           "  benchwire submit p2p --size 64MiB --wait\n"
                           "  benchwire jobs ls --state running\n"
                           "  benchwire digests show today\n"
                           "  benchwire doctor\n\n") +
               kExitCodeHelp);
  AddSubmit(*root, line);
  AddJobs(*root, line);
  AddRerun(*root, line);
  AddDigests(*root, line);
  AddEntries(*root, line);
  AddWorkers(*root, line);
  AddDoctor(*root, line);
  AddCompletion(*root, line);
  return root;
}

// The deepest command that was parsed.
const CLI::App* Deepest(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return app;
}

std::string FullName(const CLI::App* app) {
  return app->get_parent() == nullptr ? app->get_name() : FullName(app->get_parent()) + " " + app->get_name();
}

int ReportParseError(const CLI::App& root, const CLI::ParseError& error) {
  Output out(1);
  Output err(2);
  if (error.get_exit_code() == 0) {
    std::ostringstream text;
    std::ostringstream unused;
    root.exit(error, text, unused);
    out.Write(text.str());
    if (out.ok()) return kExitOk;
    err.Line("benchwire: " + std::string(out.status().message()));
    return kExitError;
  }
  const CLI::App* command = Deepest(&root);
  std::string message = error.what();
  const std::vector<std::string> rest = root.remaining(/*recurse=*/true);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !rest.empty() &&
      !command->get_subcommands({}).empty()) {
    message = "'" + rest.front() + "' is not a command of " + FullName(command);
  }
  err.Line("benchwire: " + OneLine(message));
  err.Line("Run `" + FullName(command) + " --help` for what is possible.");
  return kExitUsage;
}

std::string ErrorText(const absl::Status& status, const Globals& globals) {
  std::string text = std::string(status.message());
  if (absl::IsUnavailable(status)) {
    text = "cannot reach the server at " + globals.server + " (" + text +
           "). Is benchwire-server running there? --server or BENCHWIRE_SERVER names another.";
  } else if (absl::IsDeadlineExceeded(status)) {
    text = "the server at " + globals.server + " does not answer in time (" + text + ")";
  }
  const std::string reason = ErrorReason(status);
  if (!reason.empty() && reason != "BAD_FIELD" && reason != "NOT_FOUND") text += " (" + reason + ")";
  return text;
}

int Finish(Session& session, const absl::StatusOr<int>& result) {
  if (session.out().broken() || session.signals().reader_gone()) return kExitBrokenPipe;
  if (!session.out().ok()) {
    session.Note("benchwire: " + std::string(session.out().status().message()));
    return kExitError;
  }
  if (result.ok()) return *result;
  if (!absl::IsCancelled(result.status())) {
    session.Note("benchwire: " + ErrorText(result.status(), session.globals()));
  }
  return ExitCodeOf(result.status());
}

}  // namespace

CLI::App* AddGroup(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App* group = parent.add_subcommand(name, description);
  group->require_subcommand(1);
  group->fallthrough();
  return group;
}

CLI::App* AddCommand(CLI::App& parent, const std::string& name, const std::string& description,
                     const std::string& examples) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->fallthrough();
  command->footer("Examples:\n" + examples);
  return command;
}

CLI::Option* AddText(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                     const std::string& description, const std::string& type) {
  return command
      .add_option_function<std::string>(
          name, [&target](const std::string& text) { target = text; }, description)
      ->type_name(type);
}

int RunCommandLine(int argc, const char* const* argv) {
  HoldStandardDescriptors();
  CommandLine line;
  try {
    const std::unique_ptr<CLI::App> root = MakeTree(line);
    try {
      root->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return ReportParseError(*root, error);
    }
    Session session(line.globals);
    return Finish(session, line.action(session));
  } catch (const std::exception& error) {  // Out of memory, or a defect of ours in building the tree.
    Output(2).Line("benchwire: " + OneLine(error.what()));
    return kExitError;
  }
}

}  // namespace benchwire::cli
