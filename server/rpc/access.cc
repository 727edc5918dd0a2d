#include "server/rpc/access.h"

#include <algorithm>

#include "server/base/status.h"

namespace benchwire::rpc {
namespace {

const char* NameOf(Role role) {
  switch (role) {
    case Role::kReader:
      return "reader";
    case Role::kSubmitter:
      return "submitter";
    case Role::kEditor:
      return "editor";
    case Role::kWorker:
      return "worker";
    case Role::kAdmin:
      return "admin";
  }
  return "unknown";
}

}  // namespace

const Principal& LocalPrincipal() {
  static const Principal kLocal{"local", {Role::kReader, Role::kSubmitter, Role::kEditor, Role::kWorker, Role::kAdmin}};
  return kLocal;
}

const std::vector<AccessRule>& AccessRules() {
  static const std::vector<AccessRule> kRules = {
      {"/benchwire.v1.JobService/CreateJob", Role::kSubmitter},
      {"/benchwire.v1.JobService/GetJob", Role::kReader},
      {"/benchwire.v1.JobService/ListJobs", Role::kReader},
      {"/benchwire.v1.JobService/ExplainJob", Role::kReader},
      {"/benchwire.v1.JobService/CancelJob", Role::kSubmitter},
      {"/benchwire.v1.JobService/RetryJob", Role::kSubmitter},
      {"/benchwire.v1.JobService/ListMeasurements", Role::kReader},
      {"/benchwire.v1.JobService/ListSeries", Role::kReader},
      {"/benchwire.v1.JobService/GetSeries", Role::kReader},
      {"/benchwire.v1.JobService/ReadLog", Role::kReader},
      {"/benchwire.v1.JobService/WatchLog", Role::kReader},
      {"/benchwire.v1.JobService/ListArtifacts", Role::kReader},
      {"/benchwire.v1.JobService/ReadArtifact", Role::kReader},
      {"/benchwire.v1.FleetService/GetWorker", Role::kReader},
      {"/benchwire.v1.FleetService/ListWorkers", Role::kReader},
      {"/benchwire.v1.FleetService/DrainWorker", Role::kAdmin},
      {"/benchwire.v1.FleetService/ResumeWorker", Role::kAdmin},
      {"/benchwire.v1.AgentService/RegisterWorker", Role::kWorker},
      {"/benchwire.v1.AgentService/LeaseJob", Role::kWorker},
      {"/benchwire.v1.AgentService/StartAttempt", Role::kWorker},
      {"/benchwire.v1.AgentService/RenewLease", Role::kWorker},
      {"/benchwire.v1.AgentService/Report", Role::kWorker},
      {"/benchwire.v1.AgentService/CompleteAttempt", Role::kWorker},
      {"/benchwire.v1.DigestService/CreateDigest", Role::kEditor},
      {"/benchwire.v1.DigestService/GetDigest", Role::kReader},
      {"/benchwire.v1.DigestService/ListDigests", Role::kReader},
      {"/benchwire.v1.DigestService/PublishDigest", Role::kEditor},
      {"/benchwire.v1.DigestService/GetEdition", Role::kReader},
      {"/benchwire.v1.DigestService/ListEditions", Role::kReader},
      {"/benchwire.v1.DigestService/CreateEntry", Role::kEditor},
      {"/benchwire.v1.DigestService/GetEntry", Role::kEditor},
      {"/benchwire.v1.DigestService/ListEntries", Role::kEditor},
      {"/benchwire.v1.DigestService/UpdateEntry", Role::kEditor},
      {"/benchwire.v1.DigestService/DeleteEntry", Role::kEditor},
      {"/benchwire.v1.EventService/WatchEvents", Role::kReader},
  };
  return kRules;
}

absl::Status CheckAccess(const std::string& method, const Principal& principal) {
  const auto& rules = AccessRules();
  auto rule = std::find_if(rules.begin(), rules.end(), [&](const AccessRule& one) { return method == one.method; });
  if (rule == rules.end()) {
    return MakeError(absl::StatusCode::kPermissionDenied, "NO_RULE", method + " has no access rule");
  }
  if (principal.roles.contains(rule->role)) return absl::OkStatus();
  return MakeError(absl::StatusCode::kPermissionDenied, "NO_ROLE",
                   principal.name + " lacks the role " + NameOf(rule->role) + " that " + method + " needs");
}

}  // namespace benchwire::rpc
