#include "server/core/scheduling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "server/base/job_kind.h"
#include "server/core/environment.h"
#include "server/core/fit.h"
#include "server/core/queue_order.h"

namespace benchwire::core {
namespace {

// So many workers on which a job fits are compared; it goes to the best of them.
constexpr int kMaxCompared = 32;

// Whether what a job needs may come free piece by piece, so that smaller jobs could take it away for ever.
bool NeedsReservation(const v1::Requirements& requirements) {
  return requirements.exclusivity() == v1::EXCLUSIVITY_HOST || requirements.device_count() > 1 ||
         requirements.cpus() > 1 || requirements.memory_bytes() > 0;
}

// A decision in the making.
class Planner {
 public:
  explicit Planner(const Snapshot& snapshot) : snapshot_(snapshot), order_(snapshot) {
    for (size_t w = 0; w < snapshot.workers.size(); ++w) {
      const WorkerView& worker = snapshot.workers[w];
      loads_.push_back(worker.load);
      asks_.push_back(worker.waiting && worker.open);
      if (asks_.back()) waiting_.push_back(w);
    }
    left_ = waiting_.size();
    std::sort(waiting_.begin(), waiting_.end(), [&](size_t a, size_t b) { return SizeOf(a) < SizeOf(b); });
  }

  Decision Run() {
    while (left_ > 0) {
      const std::optional<size_t> job = order_.Next();
      if (!job) break;
      const QueuedJob& queued = snapshot_.jobs[*job];
      if (!blocked_.contains(queued.shape) && Place(*job)) continue;
      blocked_.insert(queued.shape);
      Reserve(*job);
    }
    return std::move(decision_);
  }

 private:
  std::tuple<int, int, size_t> SizeOf(size_t worker) const {
    const v1::Inventory& inventory = *loads_[worker]->inventory;
    return {inventory.devices_size(), inventory.cpus(), worker};
  }

  // Waiting workers that could run a job of this shape, small ones first; some of them may have got one by now.
  const std::vector<size_t>& CapableWaiting(const QueuedJob& job) {
    const auto [found, is_new] = capable_.try_emplace(job.shape);
    if (!is_new) return found->second;
    for (size_t w : waiting_) {
      if (IsCapable(*loads_[w]->inventory, job.kind, job.requirements)) found->second.push_back(w);
    }
    return found->second;
  }

  bool MayTake(const QueuedJob& job, size_t worker, const std::vector<std::string>& devices) const {
    const auto reserved = reserved_.find(worker);
    if (reserved == reserved_.end()) return true;
    const Reservation& reservation = decision_.reservations[reserved->second];
    return MayBackfill(*loads_[worker], job, devices, snapshot_.jobs[reservation.job], reservation.start, snapshot_);
  }

  bool Place(size_t job) {
    const QueuedJob& queued = snapshot_.jobs[job];
    std::optional<Placement> best;
    std::pair<int64_t, int64_t> least_left;
    int compared = 0;
    for (size_t w : CapableWaiting(queued)) {
      if (!asks_[w]) continue;
      auto devices = Fit(*loads_[w], queued.requirements);
      if (!devices || !MayTake(queued, w, *devices)) continue;
      const Amount free = AmountFree(*loads_[w]);
      const Amount taken = AmountTaken(*loads_[w]->inventory, queued.requirements, devices->size());
      const std::pair<int64_t, int64_t> left{free.devices - taken.devices, free.cpus - taken.cpus};
      if (!best || left < least_left) best = {job, w, std::move(*devices)}, least_left = left;
      if (++compared == kMaxCompared) break;
    }
    if (!best) return false;
    Commit(std::move(*best));
    return true;
  }

  void Commit(Placement placement) {
    const QueuedJob& job = snapshot_.jobs[placement.job];
    WorkerLoad load = *loads_[placement.worker];
    load.grants[job.id] = GrantOf(job, placement.devices, snapshot_);
    order_.Started(placement.job, AmountTaken(*load.inventory, job.requirements, placement.devices.size()));
    loads_[placement.worker] = std::make_shared<const WorkerLoad>(std::move(load));
    asks_[placement.worker] = false;
    --left_;
    decision_.placements.push_back(std::move(placement));
  }

  // When the job may start on the worker at the latest; nothing where it cannot, or where the worker is idle and does
  // not ask for a job: it may never ask.
  std::optional<WallTime> StartOn(size_t worker, const QueuedJob& job) const {
    const WorkerLoad& load = *loads_[worker];
    const bool may_ask = asks_[worker] || !load.grants.empty();
    if (!may_ask || !snapshot_.workers[worker].open || reserved_.contains(worker)) return std::nullopt;
    if (!IsCapable(*load.inventory, job.kind, job.requirements)) return std::nullopt;
    const WallTime fits = ExpectedFit(load, job.requirements, snapshot_.now);
    if (asks_[worker]) return fits;
    WallTime asks = WallTime::max();
    for (const auto& [id, grant] : load.grants) asks = std::min(asks, ExpectedEnd(grant, snapshot_.now));
    return std::max(fits, asks);
  }

  void Reserve(size_t job) {
    const QueuedJob& queued = snapshot_.jobs[job];
    if (decision_.reservations.size() >= kMaxReservations || !NeedsReservation(queued.requirements)) return;
    if (hopeless_.contains(queued.shape)) return;
    std::optional<Reservation> best;
    for (size_t w = 0; w < loads_.size(); ++w) {
      const std::optional<WallTime> start = StartOn(w, queued);
      if (start && (!best || *start < best->start)) best = {job, w, *start};
    }
    if (!best) {
      hopeless_.insert(queued.shape);
      return;
    }
    reserved_[best->worker] = decision_.reservations.size();
    decision_.reservations.push_back(*best);
  }

  const Snapshot& snapshot_;
  QueueOrder order_;
  Decision decision_;
  std::vector<std::shared_ptr<const WorkerLoad>> loads_;  // With what was placed.
  std::vector<bool> asks_;                                // Whether the worker can take a job still.
  std::vector<size_t> waiting_;                           // Those that could at first.
  size_t left_ = 0;                                       // How many can still.
  std::map<std::string, std::vector<size_t>> capable_;    // Of waiting_, by shape.
  std::set<std::string> blocked_;                         // Shapes that fit nowhere, nor will in this decision.
  std::set<std::string> hopeless_;                        // Of those, shapes that find no worker to reserve.
  std::map<size_t, size_t> reserved_;                     // Reservation by worker.
};

}  // namespace

Decision Decide(const Snapshot& snapshot) { return Planner(snapshot).Run(); }

Grant GrantOf(const QueuedJob& job, const std::vector<std::string>& devices, const Snapshot& snapshot) {
  return {.attempt = 0,
          .requirements = job.requirements,
          .devices = devices,
          .submitter = job.submitter,
          .expected_end = snapshot.now + snapshot.start_deadline + job.timeout};
}

bool MayBackfill(const WorkerLoad& load, const QueuedJob& job, const std::vector<std::string>& devices,
                 const QueuedJob& reserving, WallTime start, const Snapshot& snapshot) {
  const Grant grant = GrantOf(job, devices, snapshot);
  if (grant.expected_end <= start) return true;
  WorkerLoad then = load;
  std::erase_if(then.grants, [&](const auto& entry) { return ExpectedEnd(entry.second, snapshot.now) <= start; });
  then.grants[job.id] = grant;
  return Fit(then, reserving.requirements).has_value();
}

std::string ShapeOf(const v1::Job& job) {
  constexpr size_t kDigits = 16;
  v1::Job shape;
  shape.set_display_name(KindOf(job));
  *shape.mutable_requirements() = job.requirements();
  *shape.mutable_timeout() = job.timeout();
  return RequestSha256(shape).substr(0, kDigits);
}

}  // namespace benchwire::core
