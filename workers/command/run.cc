#include "workers/command/run.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "workers/command/confinement.h"
#include "workers/command/output.h"
#include "workers/command/path.h"
#include "workers/command/program.h"

namespace benchwire::command {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr char kSpecFile[] = "benchwire_spec.json";
constexpr char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";
constexpr std::size_t kMaxShownArguments = 64;
constexpr std::size_t kMaxShownBytes = 256;
constexpr std::size_t kMaxCopiedBytes = std::size_t{64} << 20;

// Printable, and cut between characters.
std::string Shown(std::string text) {
  if (text.size() > kMaxShownBytes) {
    std::size_t end = kMaxShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
  }
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  }
  return text;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + text;
  return out;
}

std::map<std::string, std::string> Environment(const Definition& definition, const RunOptions& options,
                                               const Values& values) {
  std::map<std::string, std::string> out = {{"PATH", kDefaultPath}};
  std::vector<std::string> allowed = {
      "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"};
  allowed.insert(allowed.end(), definition.environment_allowed.begin(), definition.environment_allowed.end());
  for (const std::string& name : allowed) {
    if (const char* value = options.get_variable(name.c_str())) out[name] = value;
  }
  out["HOME"] = options.work_dir.string();
  out["TMPDIR"] = options.work_dir.string();
  for (const auto& [name, text] : definition.environment_set) out[name] = text.Expand(values);
  out["BENCHWIRE_SEED"] = std::to_string(options.seed);
  out["BENCHWIRE_DEVICES"] = Joined(options.devices);
  out["BENCHWIRE_SPEC"] = (options.work_dir / kSpecFile).string();
  if (definition.contract) out["BENCHWIRE_EVENTS_FD"] = std::to_string(kEventsFd);
  return out;
}

// The spec as the program may read it: every parameter, its defaults too.
kit::Status ProvideFiles(const Definition& definition, const RunOptions& options, const Invocation& invocation) {
  OrderedJson parameters = OrderedJson::object();
  for (const auto& [name, parameter] : definition.parameters) parameters[name] = invocation.values.at(name);
  const OrderedJson spec = {{"command", definition.name}, {"parameters", parameters}};
  const std::string text = spec.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  if (kit::Status status = WriteInside(options.work_dir, kSpecFile, text, false); !status.ok()) return status;
  for (const auto& [path, file] : definition.files) {
    std::string bytes;
    if (file.text) {
      bytes = file.text->Expand(invocation.values);
    } else {
      kit::Result<FoundFile> found = ReadInside(definition.directory, file.copy, kMaxCopiedBytes);
      if (!found.ok())
        return kit::Error{"BAD_DEFINITION", definition.name + ": files." + path + ": " + file.copy +
                                                " beside the definition: " + found.error().message};
      bytes = std::move(found->bytes);
    }
    if (kit::Status status = WriteInside(options.work_dir, path, bytes, file.executable); !status.ok()) return status;
  }
  return kit::Status();
}

ProgramPlan PlanOf(const Definition& definition, const RunOptions& options, const Invocation& invocation) {
  ProgramPlan plan;
  plan.path = invocation.path;
  plan.argv = invocation.argv;
  plan.environment = invocation.environment;
  plan.directory = options.work_dir.string();
  plan.with_events = definition.contract;
  plan.out_fd = options.out_fd;
  plan.grace = options.grace;
  plan.output_bytes = definition.limits.output_bytes;
  plan.wall_time = definition.limits.wall_time;
  return plan;
}

// Keeps the beginning of the standard output.
class FirstBytes final : public OutputListener {
 public:
  kit::Status OnStandardOutput(std::string_view bytes) override {
    static constexpr std::size_t kKept = 4 * kMaxShownBytes;
    if (text.size() < kKept) text.append(bytes.substr(0, kKept - text.size()));
    return kit::Status();
  }
  kit::Status OnEvents(std::string_view) override { return kit::Status(); }
  std::string text;
};

// The first line that version_argv prints; a warning, and nothing, where it fails.
kit::Result<std::string> ProgramVersion(const Definition& definition, const RunOptions& options,
                                        const Invocation& invocation, kit::EventSink& sink) {
  if (definition.version_argv.empty()) return std::string();
  kit::Result<std::string> path = FindProgram(definition.version_argv[0], SearchPath(definition, options.get_variable));
  kit::Error fault;
  if (path.ok()) {
    ProgramPlan plan = PlanOf(definition, options, invocation);
    plan.path = *path;
    plan.argv = definition.version_argv;
    plan.with_events = false;
    plan.out_fd = options.out_fd;
    plan.output_bytes = std::int64_t{1} << 20;
    plan.wall_time = std::chrono::seconds(60);
    Confinement confinement(definition.limits, options.use_cgroups);
    FirstBytes first;
    const kit::Result<ProgramEnd> end = RunProgram(plan, confinement, first, options.cancelled);
    if (end.ok() && !end->stopped && WIFEXITED(end->wait_status) && WEXITSTATUS(end->wait_status) == 0) {
      return Shown(first.text.substr(0, first.text.find_first_of("\r\n")));
    }
    if (end.ok() && end->stopped && end->stopped->code == "CANCELLED") return *end->stopped;
    fault = end.ok() ? end->stopped.value_or(kit::Error{"", EndText(end->wait_status)}) : end.error();
  } else {
    fault = path.error();
  }
  const kit::Status status = sink.Write(kit::Warning{"VERSION_UNKNOWN", "version_argv: " + fault.message});
  return status.ok() ? kit::Result<std::string>(std::string()) : kit::Result<std::string>(status.error());
}

// What the program's end means, where it is not a good one.
kit::Status Judge(const Definition& definition, const ProgramEnd& end) {
  if (end.stopped) return *end.stopped;
  const int code = WIFEXITED(end.wait_status) ? WEXITSTATUS(end.wait_status) : -1;
  if (definition.success_exit_codes.contains(code)) return kit::Status();
  const std::string text = "the program ended with " + EndText(end.wait_status);
  const bool again = definition.retry_exit_codes.contains(code) || (definition.contract && code == kit::kExitTryAgain);
  if (again) return kit::Error{"TRY_AGAIN", text};
  if (definition.contract && code == kit::kExitBadSpec) return kit::Error{"BAD_SPEC", text + ": it refuses the spec"};
  return kit::Error{"PROGRAM_FAILED", text};
}

std::string ResultJson(const Definition& definition, const Invocation& invocation, const std::string& version,
                       const ProgramEnd& end, const Output& output) {
  char wall[40];
  std::snprintf(wall, sizeof wall, "%lld.%09llds", static_cast<long long>(end.wall_time.count() / 1'000'000'000),
                static_cast<long long>(end.wall_time.count() % 1'000'000'000));
  OrderedJson files = OrderedJson::array();
  for (const auto& [path, size] : output.files_read()) {
    files.push_back({{"path", Shown(path)}, {"size_bytes", std::to_string(size)}});
  }
  const Counts counts = output.counts();
  const OrderedJson json = {{"command", definition.name},
                            {"program_version", version},
                            {"arguments", invocation.shown},
                            {"exit_code", WEXITSTATUS(end.wait_status)},
                            {"wall_time", wall},
                            {"files", files},
                            {"measurements", std::to_string(counts.measurements)},
                            {"points", std::to_string(counts.points)},
                            {"bad_rows", std::to_string(counts.bad_rows)},
                            {"output_bytes", std::to_string(end.output_bytes)}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::string SearchPath(const Definition& definition, const kit::GetVariable& get_variable) {
  const auto set = definition.environment_set.find("PATH");
  if (set != definition.environment_set.end()) {
    return set->second.Expand({{"definition_dir", definition.directory.string()}});
  }
  const char* own = get_variable("PATH");
  return own == nullptr ? kDefaultPath : own;
}

kit::Result<Invocation> Prepare(const Definition& definition, const RunOptions& options) {
  kit::Result<Values> parameters = ResolveParameters(definition.parameters, options.parameters);
  if (!parameters.ok()) return parameters.error();
  Invocation out;
  out.values = std::move(*parameters);
  out.values["seed"] = std::to_string(options.seed);
  out.values["devices"] = Joined(options.devices);
  for (const Template& argument : definition.argv) {
    if (out.shown.size() < kMaxShownArguments) out.shown.push_back(Shown(argument.Expand(out.values)));
  }
  out.values["work_dir"] = options.work_dir.string();
  out.values["definition_dir"] = definition.directory.string();
  for (const Template& argument : definition.argv) out.argv.push_back(argument.Expand(out.values));
  const auto environment = Environment(definition, options, out.values);
  for (const auto& [name, value] : environment) out.environment.push_back(name + "=" + value);
  out.path = out.argv[0];
  if (definition.files.contains(out.path))
    out.path = (options.work_dir / out.path).string();  // Not there before the start.
  return out;
}

kit::Status RunCommand(const Definition& definition, const RunOptions& options, kit::EventSink& sink) {
  kit::Result<Invocation> invocation = Prepare(definition, options);
  if (!invocation.ok()) return invocation.error();
  if (kit::Status status = ProvideFiles(definition, options, *invocation); !status.ok()) return status;
  kit::Result<std::string> path = FindProgram(invocation->path, SearchPath(definition, options.get_variable));
  if (!path.ok()) return path.error();
  invocation->path = *path;
  const kit::Result<std::string> version = ProgramVersion(definition, options, *invocation, sink);
  if (!version.ok()) return version.error();
  Confinement confinement(definition.limits, options.use_cgroups);
  kit::Environment facts{confinement.Facts()};
  facts.values["command"] = definition.name;
  facts.values["seed"] = std::to_string(options.seed);
  facts.values["runner_version"] = BENCHWIRE_VERSION;
  if (!version->empty()) facts.values["program_version"] = *version;
  if (kit::Status status = sink.Write(facts); !status.ok()) return status;
  if (kit::Status status = sink.Write(kit::Progress{0, "runs " + definition.name, {}}); !status.ok()) return status;
  Output output(definition, invocation->values, sink);
  const kit::Result<ProgramEnd> end =
      RunProgram(PlanOf(definition, options, *invocation), confinement, output, options.cancelled);
  if (!end.ok()) return end.error();
  if (kit::Status status = Judge(definition, *end); !status.ok()) return status;
  if (kit::Status status = output.Finish(options.work_dir, *end); !status.ok()) return status;
  if (kit::Status status = sink.Write(kit::Progress{1, "done", {}}); !status.ok()) return status;
  return sink.Write(kit::TypedResult{"command", ResultJson(definition, *invocation, *version, *end, output)});
}

}  // namespace benchwire::command
