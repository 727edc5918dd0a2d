#include "tests/sim/history.h"

#include <algorithm>
#include <set>

#include "server/core/lifecycle.h"

namespace benchwire::sim {
namespace {

using Breaches = std::vector<std::string>;

constexpr int kMaxLosses = 3;

// An acknowledged job exists; one request id made one job; and every job has ended.
void CheckJobs(const History& history, const Record& record, Breaches& out) {
  std::set<std::string> stored;
  for (const v1::Job& job : record.jobs) {
    stored.insert(job.name());
    if (!core::IsTerminal(job.state())) out.push_back("UNFINISHED " + job.name() + " " + JobState_Name(job.state()));
  }
  for (const auto& [request, names] : history.submitted) {
    for (const std::string& name : names) {
      if (!stored.contains(name)) out.push_back("LOST " + name + " of request " + request);
      if (name != names.front())
        out.push_back("DOUBLED request " + request + " made " + names.front() + " and " + name);
    }
  }
  if (record.jobs.size() > history.submitted.size()) {
    out.push_back("DOUBLED " + std::to_string(record.jobs.size()) + " jobs of " +
                  std::to_string(history.submitted.size()) + " requests");
  }
}

void CheckAttempts(const v1::Job& job, Breaches& out) {
  int succeeded = 0, failed = 0, lost = 0;
  for (const v1::Attempt& attempt : job.attempts()) {
    succeeded += attempt.state() == v1::ATTEMPT_STATE_SUCCEEDED;
    failed += attempt.state() == v1::ATTEMPT_STATE_FAILED;
    lost += attempt.state() == v1::ATTEMPT_STATE_WORKER_LOST;
    const bool last = &attempt == &job.attempts(job.attempts_size() - 1);
    if (!last && !core::IsEnded(attempt.state())) out.push_back("ATTEMPTS " + attempt.name() + " has not ended");
  }
  if (succeeded != (job.state() == v1::JOB_STATE_SUCCEEDED)) {
    out.push_back("DOUBLED " + job.name() + " is " + JobState_Name(job.state()) + " with " + std::to_string(succeeded) +
                  " attempts that succeeded");
  }
  if (failed > job.max_attempts() || failed != job.failed_attempts() || lost > kMaxLosses ||
      lost != job.lost_attempts()) {
    out.push_back("ATTEMPTS " + job.name() + " has " + std::to_string(failed) + " failed and " + std::to_string(lost) +
                  " lost, and counts " + std::to_string(job.failed_attempts()) + " and " +
                  std::to_string(job.lost_attempts()));
  }
}

// Whether a job may go from one state to the other.
bool MayFollow(const std::string& from, const std::string& to) {
  static const std::map<std::string, std::set<std::string>> kNext = {
      {"QUEUED", {"ASSIGNED", "CANCELLED", "EXPIRED"}},
      {"ASSIGNED", {"RUNNING", "QUEUED", "CANCELLED", "FAILED", "QUARANTINED"}},
      {"RUNNING", {"RUNNING", "QUEUED", "SUCCEEDED", "FAILED", "CANCELLED", "TIMED_OUT", "QUARANTINED"}},
  };
  const auto found = kNext.find(from);
  return found != kNext.end() && found->second.contains(to);
}

// Each job went through its states as it may, and stayed at its end; the revisions have no gap.
void CheckEvents(const Record& record, Breaches& out) {
  static const std::string kPrefix = "JOB_STATE_";
  std::map<std::string, std::string> states;
  int64_t revision = 0;
  for (const v1::Event& event : record.events) {
    if (event.revision() != ++revision) out.push_back("REVISION " + std::to_string(event.revision()));
    if (!event.state().starts_with(kPrefix)) continue;
    const std::string state = event.state().substr(kPrefix.size());
    std::string& before = states[event.resource()];
    const bool good = before.empty() ? state == "QUEUED" : MayFollow(before, state);
    if (!good) out.push_back("TRANSITION " + event.resource() + " " + before + " to " + state);
    before = state;
  }
  for (const v1::Job& job : record.jobs) {
    if (states[job.name()] != JobState_Name(job.state()).substr(kPrefix.size())) {
      out.push_back("TRANSITION " + job.name() + " is " + JobState_Name(job.state()) + ", its last event says " +
                    states[job.name()]);
    }
  }
}

// No device serves two runners at once, and no job has two: a use without a device is the whole run of an attempt.
void CheckUses(std::vector<DeviceUse> uses, Breaches& out) {
  for (DeviceUse& use : uses) {
    if (!use.device.empty()) continue;
    use.worker = "any worker";
    use.device = use.attempt.substr(0, use.attempt.find("/attempts/"));
  }
  std::sort(uses.begin(), uses.end(), [](const DeviceUse& a, const DeviceUse& b) {
    return std::tie(a.worker, a.device, a.begin) < std::tie(b.worker, b.device, b.begin);
  });
  for (size_t i = 1; i < uses.size(); ++i) {
    const DeviceUse &a = uses[i - 1], &b = uses[i];
    if (a.worker == b.worker && a.device == b.device && b.begin < a.end) {
      out.push_back("OVERLAP " + a.attempt + " and " + b.attempt + " on " + a.worker + " " + a.device);
    }
  }
}

// An accepted success is the record, with all that its runner wrote.
void CheckResults(const History& history, const Record& record, Breaches& out) {
  std::set<std::string> succeeded;
  for (const v1::Job& job : record.jobs) {
    for (const v1::Attempt& attempt : job.attempts()) {
      if (attempt.state() == v1::ATTEMPT_STATE_SUCCEEDED) succeeded.insert(attempt.name());
    }
  }
  for (const std::string& attempt : history.accepted) {
    if (!succeeded.contains(attempt)) out.push_back("LOST success of " + attempt);
  }
  for (const std::string& attempt : succeeded) {
    const auto wrote = history.logs.find(attempt);
    const auto kept = record.logs.find(attempt);
    if (wrote == history.logs.end() || kept == record.logs.end() || wrote->second != kept->second) {
      out.push_back("LOG of " + attempt + " is not what its runner wrote");
    }
  }
}

}  // namespace

std::vector<std::string> Check(const History& history, const Record& record) {
  Breaches out;
  CheckJobs(history, record, out);
  for (const v1::Job& job : record.jobs) CheckAttempts(job, out);
  CheckEvents(record, out);
  CheckUses(history.uses, out);
  CheckResults(history, record, out);
  return out;
}

}  // namespace benchwire::sim
