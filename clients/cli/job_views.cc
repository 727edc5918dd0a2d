#include "clients/cli/job_views.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "clients/cli/facts.h"
#include "clients/cli/names.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "server/base/job_kind.h"
#include "server/base/number_format.h"

namespace benchwire::cli {
namespace {

std::string TimeText(const google::protobuf::Timestamp& time, WallTime server_now) {
  return Rfc3339(FromProto(time)) + " (" + Ago(FromProto(time), server_now) + ")";
}

// An enum value's name without the prefix all values of the enum have.
std::string EnumText(const std::string& name, size_t prefix) {
  return name.size() > prefix ? name.substr(prefix) : name;
}

std::string RequirementsText(const v1::Requirements& requirements) {
  std::string out = std::to_string(std::max(1, requirements.cpus())) + " CPU";
  if (requirements.device_count() > 0) {
    out += ", " + std::to_string(requirements.device_count()) + " " +
           EnumText(v1::DeviceKind_Name(requirements.device_kind()), 12);
  }
  if (!requirements.device_model().empty()) out += ", model " + requirements.device_model();
  if (requirements.device_memory_bytes() > 0) {
    out += ", " + Bytes(requirements.device_memory_bytes()) + " memory a device";
  }
  if (requirements.link_class() != v1::LINK_CLASS_UNSPECIFIED) {
    out += ", linked " + EnumText(v1::LinkClass_Name(requirements.link_class()), 11) + " or closer";
  }
  if (requirements.memory_bytes() > 0) out += ", " + Bytes(requirements.memory_bytes()) + " memory";
  if (requirements.exclusivity() != v1::EXCLUSIVITY_UNSPECIFIED) {
    out += ", exclusive " + EnumText(v1::Exclusivity_Name(requirements.exclusivity()), 12);
  }
  if (requirements.worker_labels_size() > 0) out += ", worker labels " + LabelsText(requirements.worker_labels());
  return out;
}

std::string AttemptDuration(const v1::Attempt& attempt, WallTime server_now) {
  if (!attempt.has_start_time()) return "";
  const WallTime end = attempt.has_end_time() ? FromProto(attempt.end_time()) : server_now;
  return Span(end - FromProto(attempt.start_time()));
}

void PrintAttempts(Output& out, const v1::Job& job, WallTime server_now) {
  if (job.attempts().empty()) return;
  PrintHeading(out, "Attempts");
  Table table({{"N", true},
               {"WORKER"},
               {"STATE"},
               {"STARTED"},
               {"RAN", true},
               {"EXIT", true},
               {"LOG", true},
               {"REASON", false, true}});
  for (const v1::Attempt& attempt : job.attempts()) {
    const std::string started = attempt.has_start_time() ? Rfc3339(FromProto(attempt.start_time())) : "";
    table.Add({LastSegment(attempt.name()), LastSegment(attempt.worker()), StateText(attempt.state()), started,
               AttemptDuration(attempt, server_now), attempt.has_exit_code() ? std::to_string(attempt.exit_code()) : "",
               Cell(Bytes(attempt.log_bytes()) + (attempt.log_truncated() ? " cut" : ""),
                    std::to_string(attempt.log_bytes())),
               ReasonText(attempt.reason())});
  }
  out.Write(table.Render(out.width()));
}

void PrintP2pResult(Output& out, const v1::P2pResult& result) {
  PrintHeading(out, "Result");
  PrintFacts(out, {{"backend", EnumText(v1::P2pBackend_Name(result.backend()), 12)},
                   {"verdict", EnumText(v1::P2pVerdict_Name(result.verdict()), 12)},
                   {"verified", Bytes(result.verified_bytes())},
                   {"mismatched", Bytes(result.mismatched_bytes())},
                   {"drift", result.has_drift() ? FormatValue(result.drift() * 100, "%") : ""},
                   {"simulated", result.simulated() ? "yes: no real device made these numbers" : ""}});
  PrintHeading(out, "Hardware");
  Table endpoints({{"ID"}, {"KIND"}, {"MODEL", false, true}, {"MEMORY", true}, {"PCI"}, {"NUMA", true}});
  for (const v1::P2pEndpoint& endpoint : result.endpoints()) {
    endpoints.Add({endpoint.id(), endpoint.kind(), endpoint.model(),
                   Cell(endpoint.memory_bytes() > 0 ? Bytes(endpoint.memory_bytes()) : "",
                        std::to_string(endpoint.memory_bytes())),
                   endpoint.pci_address(), endpoint.numa_node() >= 0 ? std::to_string(endpoint.numa_node()) : ""});
  }
  out.Write(endpoints.Render(out.width()));
  if (result.links().empty()) return;
  PrintHeading(out, "Links");
  Table links({{"SRC"}, {"DST"}, {"HOP"}, {"VERDICT"}, {"REASON", false, true}});
  for (const v1::P2pLink& link : result.links()) {
    links.Add({link.src(), link.dst(), link.hop(), EnumText(v1::P2pVerdict_Name(link.verdict()), 12),
               link.reason_code().empty() ? link.reason() : link.reason_code() + ": " + link.reason()});
  }
  out.Write(links.Render(out.width()));
}

void PrintCommandResult(Output& out, const v1::CommandResult& result) {
  PrintHeading(out, "Result");
  std::string arguments;
  for (const std::string& argument : result.arguments()) arguments += (arguments.empty() ? "" : " ") + argument;
  PrintFacts(out, {{"command", result.command()},
                   {"version", result.program_version()},
                   {"arguments", arguments},
                   {"exit status", std::to_string(result.exit_code())},
                   {"ran", Span(FromProto(result.wall_time()))},
                   {"measurements", std::to_string(result.measurements())},
                   {"points", std::to_string(result.points())},
                   {"bad rows", result.bad_rows() > 0 ? std::to_string(result.bad_rows()) : ""},
                   {"output", Bytes(result.output_bytes())}});
  if (result.files().empty()) return;
  PrintHeading(out, "Files read");
  Table files({{"PATH", false, true}, {"SIZE", true}});
  for (const v1::CommandFile& file : result.files()) {
    files.Add({file.path(), Cell(Bytes(file.size_bytes()), std::to_string(file.size_bytes()))});
  }
  out.Write(files.Render(out.width()));
}

void PrintParameters(Output& out, const v1::CommandSpec& spec) {
  if (spec.parameters().empty()) return;
  PrintHeading(out, "Parameters");
  const std::map<std::string, std::string> sorted(spec.parameters().begin(), spec.parameters().end());
  PrintFacts(out, {sorted.begin(), sorted.end()});
}

// What workers reported after the server had given them up.
void PrintLateReports(Output& out, const v1::Job& job, WallTime server_now) {
  for (const v1::Attempt& attempt : job.attempts()) {
    if (!attempt.has_late_report()) continue;
    const v1::LateReport& late = attempt.late_report();
    PrintHeading(out, "Late report of attempt " + LastSegment(attempt.name()) + ", evidence only");
    PrintFacts(out, {{"received", TimeText(late.receive_time(), server_now)},
                     {"ended", StateText(late.state())},
                     {"reason", ReasonText(late.reason())},
                     {"exit status", late.has_exit_code() ? std::to_string(late.exit_code()) : ""},
                     {"runner version", late.runner_version()}});
  }
}

void PrintLastAttempt(Output& out, const v1::Job& job) {
  if (job.attempts().empty()) return;
  const v1::Attempt& attempt = job.attempts(job.attempts_size() - 1);
  if (attempt.result().has_p2p()) PrintP2pResult(out, attempt.result().p2p());
  if (attempt.result().has_command()) PrintCommandResult(out, attempt.result().command());
  if (!attempt.environment().empty()) {
    PrintHeading(out, "Environment");
    const std::map<std::string, std::string> sorted(attempt.environment().begin(), attempt.environment().end());
    PrintFacts(out, {sorted.begin(), sorted.end()});
  }
  if (attempt.warnings().empty()) return;
  PrintHeading(out, "Warnings");
  for (const v1::RunnerMessage& warning : attempt.warnings()) {
    out.Line(OneLine(warning.code() + ": " + warning.message()));
  }
}

std::string StateWithProgress(const v1::Job& job) {
  std::string out = StateText(job.state());
  if (job.state() == v1::JOB_STATE_RUNNING && job.has_progress()) {
    out += " " + std::to_string(static_cast<int>(std::clamp(job.progress().fraction(), 0.0, 1.0) * 100)) + " %";
  }
  if (job.cancel_requested() && job.state() == v1::JOB_STATE_RUNNING) out += ", being cancelled";
  return out;
}

std::string MeasurementStatusText(const v1::Measurement& measurement) {
  std::string out = EnumText(v1::MeasurementStatus_Name(measurement.status()), 19);
  if (!measurement.reason_code().empty()) out += " " + measurement.reason_code();
  if (!measurement.reason().empty()) out += ": " + measurement.reason();
  if (measurement.simulated()) out += " (simulated)";
  return out;
}

}  // namespace

std::string StateText(v1::JobState state) { return EnumText(v1::JobState_Name(state), 10); }
std::string StateText(v1::AttemptState state) { return EnumText(v1::AttemptState_Name(state), 14); }

std::string ReasonText(const v1::Reason& reason) {
  if (reason.code().empty() || reason.message().empty()) return reason.code() + reason.message();
  return reason.code() + ": " + reason.message();
}

std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels) {
  const std::map<std::string, std::string> sorted(labels.begin(), labels.end());
  std::string out;
  for (const auto& [key, value] : sorted) out += (out.empty() ? "" : " ") + key + "=" + value;
  return out;
}

Table JobTable() {
  return Table({{"JOB"},
                {"KIND"},
                {"STATE"},
                {"CREATED"},
                {"NAME", false, true},
                {"LABELS", false, true},
                {"REASON", false, true}});
}

void AddJob(Table& table, const v1::Job& job, WallTime server_now) {
  const WallTime created = FromProto(job.create_time());
  table.Add({Cell(LastSegment(job.name()), job.name()), KindOf(job),
             Cell(StateWithProgress(job), StateText(job.state())), Cell(Ago(created, server_now), Rfc3339(created)),
             job.display_name(), LabelsText(job.labels()), ReasonText(job.reason())});
}

Table MeasurementTable() {
  return Table({{"METRIC"},
                {"CASE"},
                {"LABELS", false, true},
                {"VALUE", true},
                {"UNIT"},
                {"LOW", true},
                {"HIGH", true},
                {"CONFIDENCE", true},
                {"N", true},
                {"STATUS", false, true}});
}

void AddMeasurement(Table& table, const v1::Measurement& measurement) {
  const v1::Interval& interval = measurement.interval();
  const Quantity quantity =
      FormatQuantity(measurement.value(), measurement.unit(), measurement.has_interval() ? &interval : nullptr);
  const auto number = [](bool there, const std::string& shown, double exact) {
    return there ? Cell(shown, ExactNumber(exact)) : Cell("", "");
  };
  table.Add({measurement.metric(), measurement.case_(), LabelsText(measurement.labels()),
             number(measurement.has_value(), quantity.value, measurement.value()),
             Cell(measurement.has_value() ? quantity.unit : measurement.unit(), measurement.unit()),
             number(measurement.has_interval(), quantity.low, interval.low()),
             number(measurement.has_interval(), quantity.high, interval.high()),
             number(measurement.has_interval(), quantity.confidence, interval.confidence()),
             std::to_string(measurement.samples_size()), MeasurementStatusText(measurement)});
}

void PrintJob(Output& out, const v1::Job& job, WallTime server_now) {
  PrintFacts(out, {{"job", job.name()},
                   {"name", job.display_name()},
                   {"kind", KindOf(job)},
                   {"command", job.command().command()},
                   {"state", StateWithProgress(job)},
                   {"reason", ReasonText(job.reason())},
                   {"progress", job.state() == v1::JOB_STATE_RUNNING ? job.progress().message() : ""},
                   {"labels", LabelsText(job.labels())},
                   {"seed", job.has_seed() ? std::to_string(job.seed()) : ""},
                   {"spec digest", job.spec_digest()},
                   {"needs", job.has_requirements() ? RequirementsText(job.requirements()) : ""},
                   {"priority", job.has_priority() ? std::to_string(job.priority()) : ""},
                   {"timeout", job.has_timeout() ? Span(FromProto(job.timeout())) : ""},
                   {"queue ttl", job.has_queue_ttl() ? Span(FromProto(job.queue_ttl())) : ""},
                   {"submitter", job.submitter()},
                   {"created", job.has_create_time() ? TimeText(job.create_time(), server_now) : ""},
                   {"started", job.has_start_time() ? TimeText(job.start_time(), server_now) : ""},
                   {"ended", job.has_end_time() ? TimeText(job.end_time(), server_now) : ""},
                   {"failed", job.failed_attempts() > 0 ? std::to_string(job.failed_attempts()) + " of at most " +
                                                              std::to_string(job.max_attempts()) + " attempts"
                                                        : ""},
                   {"lost",
                    job.lost_attempts() > 0 ? std::to_string(job.lost_attempts()) + " attempts with their worker" : ""},
                   {"retry of", job.retry_of()}});
  PrintParameters(out, job.command());
  PrintAttempts(out, job, server_now);
  PrintLateReports(out, job, server_now);
  PrintLastAttempt(out, job);
}

}  // namespace benchwire::cli
