#include "server/core/explanation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "server/base/job_kind.h"
#include "server/base/resource_name.h"
#include "server/core/fit.h"
#include "server/core/forecast.h"
#include "server/core/lifecycle.h"
#include "server/core/queue_order.h"
#include "server/core/scheduling.h"

namespace benchwire::core {
namespace {

constexpr int kMostWorkersTold = 1000;

WallTime TimeOf(int64_t nanoseconds) { return WallTime(std::chrono::nanoseconds(nanoseconds)); }

std::string SecondsText(std::chrono::nanoseconds span) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

// Whether a job with this priority and place goes before the record's, share aside.
bool GoesBefore(int64_t priority, WallTime queued_at, const std::string& id, const storage::JobRecord& record,
                WallTime now) {
  const WallTime own = TimeOf(record.queued_at);
  return std::tuple(-EffectivePriority(static_cast<int>(priority), queued_at, now), queued_at, id) <
         std::tuple(-EffectivePriority(record.job.priority(), own, now), own, record.id);
}

// The reservations that stand now, by worker.
std::map<size_t, Reservation> ReservationsOf(const Snapshot& snapshot) {
  std::map<size_t, Reservation> out;
  for (const Reservation& reservation : Decide(snapshot).reservations) out[reservation.worker] = reservation;
  return out;
}

QueuedJob QueuedOf(const storage::JobRecord& record) {
  return {.id = record.id,
          .kind = KindOf(record.job),
          .requirements = record.job.requirements(),
          .submitter = record.job.submitter(),
          .priority = record.job.priority(),
          .queued_at = TimeOf(record.queued_at),
          .timeout = FromProto(record.job.timeout()),
          .shape = record.shape};
}

class Explainer {
 public:
  Explainer(const storage::JobRecord& record, const QueueMoment& moment)
      : record_(record), moment_(moment), job_(QueuedOf(record)), reserved_(ReservationsOf(moment.snapshot)) {}

  v1::JobExplanation Run() {
    ExplainPlace();
    ExplainWorkers();
    out_.set_summary(Summary());
    if (const auto start = Start()) *out_.mutable_expected_start_time() = ToProto(*start);
    return std::move(out_);
  }

 private:
  WallTime now() const { return moment_.snapshot.now; }

  void ExplainPlace() {
    int64_t before = 0;
    for (const storage::QueuePlace& place : moment_.places) {
      before += GoesBefore(place.priority, TimeOf(place.queued_at), place.id, record_, now()) ? 1 : 0;
    }
    out_.set_queue_place(before + 1);
    out_.set_queue_length(std::ssize(moment_.places));
    out_.set_effective_priority(EffectivePriority(job_.priority, job_.queued_at, now()));
  }

  // What keeps the job from a worker that could run it and takes jobs.
  std::pair<v1::Obstacle, std::string> OfOpen(size_t worker) const {
    const WorkerView& view = moment_.snapshot.workers[worker];
    const auto reserved = reserved_.find(worker);
    const QueuedJob* holder = reserved == reserved_.end() ? nullptr : &moment_.snapshot.jobs[reserved->second.job];
    const std::string busy = WhyBusy(*view.load, job_.requirements);
    if (!busy.empty()) {
      return {v1::OBSTACLE_BUSY, "busy: " + busy + (holder != nullptr && holder->id == job_.id ? "; kept for it" : "")};
    }
    const std::vector<std::string> devices = *Fit(*view.load, job_.requirements);
    if (holder != nullptr && holder->id != job_.id &&
        !MayBackfill(*view.load, job_, devices, *holder, reserved->second.start, moment_.snapshot)) {
      return {v1::OBSTACLE_RESERVED, "reserved for " + JobName(holder->id)};
    }
    if (!view.waiting) return {v1::OBSTACLE_NOT_ASKING, "free, but has not asked for a job"};
    return {v1::OBSTACLE_NONE, out_.queue_place() == 1 ? "free: it is next" : "free: jobs before it go first"};
  }

  std::pair<v1::Obstacle, std::string> Of(size_t worker) const {
    const WorkerStanding& standing = moment_.standings[worker];
    const std::string lack = WhyIncapable(*standing.load->inventory, job_.kind, job_.requirements);
    if (!lack.empty()) return {v1::OBSTACLE_INCAPABLE, "incapable: " + lack};
    if (!standing.online) {
      return {v1::OBSTACLE_SILENT, "silent: not heard from for " + SecondsText(standing.silence)};
    }
    if (standing.draining) return {v1::OBSTACLE_DRAINED, "drained: an operator took it out of service"};
    if (standing.sick_for.count() > 0) {
      return {v1::OBSTACLE_SICK, "sick: runners crashed there, gets jobs again in " + SecondsText(standing.sick_for)};
    }
    return OfOpen(worker);
  }

  void ExplainWorkers() {
    std::vector<v1::WorkerExplanation> capable, incapable;
    for (size_t w = 0; w < moment_.standings.size(); ++w) {
      const auto [obstacle, reason] = Of(w);
      v1::WorkerExplanation one;
      one.set_worker(WorkerName(moment_.standings[w].load->id));
      one.set_obstacle(obstacle);
      one.set_reason(reason);
      if (obstacle != v1::OBSTACLE_INCAPABLE) ++capable_;
      if (obstacle >= v1::OBSTACLE_NONE && obstacle <= v1::OBSTACLE_NOT_ASKING) ++open_;
      (obstacle == v1::OBSTACLE_INCAPABLE ? incapable : capable).push_back(std::move(one));
    }
    capable.insert(capable.end(), incapable.begin(), incapable.end());
    for (v1::WorkerExplanation& one : capable) {
      if (out_.workers_size() < kMostWorkersTold) *out_.add_workers() = std::move(one);
    }
    out_.set_more_workers(std::ssize(capable) - out_.workers_size());
  }

  bool IsDelayed() const { return FromProto(record_.job.earliest_start_time()) > now(); }

  std::string Summary() const {
    if (IsDelayed()) {
      return "its next attempt may start in " + SecondsText(FromProto(record_.job.earliest_start_time()) - now()) +
             ": " + std::to_string(record_.job.failed_attempts()) + " failed";
    }
    if (moment_.standings.empty()) return "no worker has registered yet";
    if (capable_ == 0) return "no registered worker could run it";
    if (open_ == 0) return "no worker that could run it takes jobs now";
    return "waits for a worker; " + std::to_string(open_) + " could run it";
  }

  // Told only where the snapshot holds every job that goes before.
  std::optional<WallTime> Start() const {
    std::optional<size_t> own;
    int64_t before = 0;
    for (size_t i = 0; i < moment_.snapshot.jobs.size(); ++i) {
      const QueuedJob& job = moment_.snapshot.jobs[i];
      if (job.id == record_.id) own = i;
      before += GoesBefore(job.priority, job.queued_at, job.id, record_, now()) ? 1 : 0;
    }
    if (!own || before + 1 < out_.queue_place()) return std::nullopt;
    return ExpectedStart(moment_.snapshot, *own);
  }

  const storage::JobRecord& record_;
  const QueueMoment& moment_;
  const QueuedJob job_;
  const std::map<size_t, Reservation> reserved_;
  v1::JobExplanation out_;
  int64_t capable_ = 0;
  int64_t open_ = 0;
};

std::string SummaryOf(const storage::JobRecord& record) {
  const std::string worker = WorkerName(record.lease.worker);
  if (record.job.state() == v1::JOB_STATE_RUNNING) return "runs on " + worker;
  if (record.job.state() == v1::JOB_STATE_ASSIGNED) return "given to " + worker + ", which is to start it";
  const v1::Reason& reason = record.job.reason();
  return "has ended" + (reason.message().empty() ? "" : ": " + reason.message());
}

}  // namespace

v1::JobExplanation Explain(const storage::JobRecord& record, const QueueMoment& moment) {
  v1::JobExplanation out;
  if (record.job.state() == v1::JOB_STATE_QUEUED) {
    out = Explainer(record, moment).Run();
  } else {
    out.set_summary(SummaryOf(record));
  }
  out.set_job(JobName(record.id));
  out.set_state(record.job.state());
  return out;
}

}  // namespace benchwire::core
