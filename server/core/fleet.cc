#include "server/core/fleet.h"

#include <spdlog/spdlog.h>

#include <set>

#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "server/core/page_token.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

constexpr size_t kSessionBytes = 16;
constexpr int64_t kLoadPage = 1000;

Ending WorkerLost(const std::string& code, const std::string& message) {
  Ending ending;
  ending.state = v1::ATTEMPT_STATE_WORKER_LOST;
  ending.reason.set_code(code);
  ending.reason.set_message(message);
  return ending;
}

absl::Status CheckInventory(const v1::Inventory& inventory) {
  RETURN_IF_ERROR(CheckRange("inventory.cpus", inventory.cpus(), 1, 65'536));
  RETURN_IF_ERROR(CheckRange("inventory.memory_bytes", inventory.memory_bytes(), 0, INT64_MAX));
  RETURN_IF_ERROR(CheckLabels("inventory.labels", inventory.labels()));
  for (const std::string& line : {inventory.hostname(), inventory.cpu_model(), inventory.kernel(),
                                  inventory.operating_system(), inventory.virtualization()}) {
    RETURN_IF_ERROR(CheckLine("inventory", line, 256));
  }
  return absl::OkStatus();
}

}  // namespace

Fleet::Fleet(CoreEnvironment environment, WorkerTable& workers, Dispatcher& dispatcher, Attempts& attempts,
             FleetOptions options)
    : environment_(environment), workers_(workers), dispatcher_(dispatcher), attempts_(attempts), options_(options) {}

absl::Status Fleet::Load() {
  return environment_.store.Read([&](const storage::View& view) -> absl::Status {
    std::string after;
    while (true) {
      ASSIGN_OR_RETURN(const auto page, view.workers().List(after, kLoadPage));
      for (const storage::WorkerRecord& record : page) workers_.Put(record);
      if (page.size() < static_cast<size_t>(kLoadPage)) break;
      after = page.back().id;
    }
    ASSIGN_OR_RETURN(const auto active, view.jobs().ListActive(""));
    for (const storage::JobRecord& record : active) {
      const AttemptId id{record.id, record.attempt};
      ASSIGN_OR_RETURN(const v1::Attempt attempt, view.jobs().GetAttempt(id));
      const auto& began = attempt.has_start_time() ? attempt.start_time() : attempt.assign_time();
      workers_.AddGrant(record.lease.worker, record.id,
                        {.attempt = record.attempt,
                         .requirements = record.job.requirements(),
                         .devices = {attempt.devices().begin(), attempt.devices().end()},
                         .submitter = record.job.submitter(),
                         .expected_end = FromProto(began) + FromProto(record.job.timeout())});
      if (record.job.state() == v1::JOB_STATE_ASSIGNED) dispatcher_.AddAssigned(id, record.lease.worker);
    }
    return absl::OkStatus();
  });
}

absl::Status Fleet::RegisterInTransaction(storage::Transaction& tx, const v1::RegisterWorkerRequest& request,
                                          const std::string& id, storage::WorkerRecord& record,
                                          std::vector<AttemptId>& kept, std::vector<AttemptId>& lost) {
  const WallTime now = environment_.clock.Now();
  auto found = tx.workers().Get(id);
  const bool is_new = found.status().code() == absl::StatusCode::kNotFound;
  if (!found.ok() && !is_new) return found.status();
  record = is_new ? storage::WorkerRecord{} : *std::move(found);
  if (is_new) {
    record.id = id;
    record.worker.set_name(WorkerName(id));
    *record.worker.mutable_create_time() = ToProto(now);
  }
  ASSIGN_OR_RETURN(const auto active, tx.jobs().ListActive(id));
  for (const storage::JobRecord& job : active) {
    const AttemptId attempt{job.id, job.attempt};
    if (job.lease.incarnation == request.incarnation()) {
      kept.push_back(attempt);
    } else {
      RETURN_IF_ERROR(
          attempts_.EndInTransaction(tx, attempt, WorkerLost("WORKER_RESTARTED", "its worker started anew")));
      lost.push_back(attempt);
    }
  }
  record.session = Hex(environment_.random.Bytes(kSessionBytes));
  record.worker.set_incarnation(request.incarnation());
  record.worker.set_state(v1::WORKER_STATE_ONLINE);
  *record.worker.mutable_inventory() = request.inventory();
  *record.worker.mutable_last_seen_time() = ToProto(now);
  RETURN_IF_ERROR(tx.workers().Put(record));
  return AppendEvent(tx, is_new ? v1::EVENT_TYPE_CREATED : v1::EVENT_TYPE_UPDATED, WorkerName(id),
                     v1::WorkerState_Name(v1::WORKER_STATE_ONLINE), now);
}

absl::StatusOr<v1::RegisterWorkerResponse> Fleet::Register(const v1::RegisterWorkerRequest& request) {
  ASSIGN_OR_RETURN(const std::string id, ParseWorkerName("worker", request.worker()));
  RETURN_IF_ERROR(CheckRequiredId("incarnation", request.incarnation()));
  RETURN_IF_ERROR(CheckInventory(request.inventory()));
  storage::WorkerRecord record;
  std::vector<AttemptId> kept, lost;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    RETURN_IF_ERROR(RegisterInTransaction(tx, request, id, record, kept, lost));
    // Before the commit: whoever finds the worker in the store finds it here too. Where the commit fails, the worker is
    // told, and registers again.
    workers_.Put(record);
    return absl::OkStatus();
  }));
  dispatcher_.ForgetWorker(id);
  for (const AttemptId& attempt : lost) attempts_.AfterEnd(attempt, id);
  v1::RegisterWorkerResponse response;
  response.set_session(record.session);
  *response.mutable_ttl() = ToProto(options_.ttl);
  for (const AttemptId& attempt : kept) response.add_attempts(AttemptName(attempt));
  spdlog::info("worker registered worker={} incarnation={} lost_attempts={}", id, request.incarnation(), lost.size());
  return response;
}

absl::StatusOr<v1::RenewLeaseResponse> Fleet::Renew(const v1::RenewLeaseRequest& request) {
  ASSIGN_OR_RETURN(const std::string worker, workers_.Heard(request.session()));
  v1::RenewLeaseResponse response;
  *response.mutable_ttl() = ToProto(options_.ttl);
  std::set<AttemptId> unheld;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::WorkerRecord record, view.workers().Get(worker));
    response.set_drain(record.draining);
    ASSIGN_OR_RETURN(const auto active, view.jobs().ListActive(worker));
    std::set<std::string> held;
    for (const storage::JobRecord& job : active) {
      const AttemptId id{job.id, job.attempt};
      const std::string name = AttemptName(id);
      held.insert(name);
      if (request.progress().contains(name)) {
        if (job.job.cancel_requested()) response.add_cancel(name);
      } else if (job.job.state() == v1::JOB_STATE_RUNNING) {
        unheld.insert(id);
      }
    }
    for (const auto& [attempt, progress] : request.progress()) {
      if (held.contains(attempt)) {
        workers_.SetProgress(attempt, progress);
      } else {
        response.add_stale(attempt);
      }
    }
    return absl::OkStatus();
  }));
  for (const AttemptId& attempt : workers_.Forgotten(worker, unheld, options_.ttl / 4)) {
    RETURN_IF_ERROR(EndLost(attempt, worker, "WORKER_FORGOT", "its worker does not hold it any more"));
  }
  return response;
}

absl::Status Fleet::EndLost(const AttemptId& attempt, const std::string& worker, const std::string& code,
                            const std::string& message) {
  RETURN_IF_ERROR(environment_.store.Write(
      [&](storage::Transaction& tx) { return attempts_.EndInTransaction(tx, attempt, WorkerLost(code, message)); }));
  attempts_.AfterEnd(attempt, worker);
  spdlog::warn("attempt lost attempt={} worker={} reason={}", AttemptName(attempt), worker, code);
  return absl::OkStatus();
}

absl::StatusOr<Dispatcher::WaitId> Fleet::Lease(const v1::LeaseJobRequest& request,
                                                Dispatcher::LeaseCallback callback) {
  ASSIGN_OR_RETURN(const std::string worker, workers_.WorkerOf(request.session()));
  RETURN_IF_ERROR(CheckRequiredId("request_id", request.request_id()));
  RETURN_IF_ERROR(CheckDuration("wait", request.wait(), std::chrono::seconds(0), std::chrono::seconds(30)));
  return dispatcher_.Lease(worker, request.request_id(), FromProto(request.wait()), std::move(callback));
}

absl::StatusOr<v1::Worker> Fleet::Get(const v1::GetWorkerRequest& request) const {
  ASSIGN_OR_RETURN(const std::string id, ParseWorkerName("name", request.name()));
  v1::Worker out;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::WorkerRecord record, view.workers().Get(id));
    out = workers_.Describe(record);
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<v1::ListWorkersResponse> Fleet::List(const v1::ListWorkersRequest& request) const {
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50));
  ASSIGN_OR_RETURN(const std::string after, ReadPageToken("ListWorkers", request.page_token()));
  v1::ListWorkersResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(auto records, view.workers().List(after, size + 1));
    const bool more = records.size() > static_cast<size_t>(size);
    if (more) records.pop_back();
    for (const storage::WorkerRecord& record : records) *response.add_workers() = workers_.Describe(record);
    if (more) response.set_next_page_token(MakePageToken("ListWorkers", records.back().id));
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::Worker> Fleet::SetDraining(const std::string& name, bool draining) {
  ASSIGN_OR_RETURN(const std::string id, ParseWorkerName("name", name));
  storage::WorkerRecord record;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(record, tx.workers().Get(id));
    if (record.draining == draining) return absl::OkStatus();
    record.draining = draining;
    RETURN_IF_ERROR(tx.workers().Put(record));
    return AppendEvent(tx, v1::EVENT_TYPE_UPDATED, WorkerName(id),
                       v1::WorkerState_Name(draining ? v1::WORKER_STATE_DRAINING : record.worker.state()),
                       environment_.clock.Now());
  }));
  workers_.SetDraining(id, draining);
  v1::ReportResponse push;
  push.set_drain(draining);
  if (draining) workers_.Push(id, push);
  dispatcher_.Kick();
  return workers_.Describe(record);
}

absl::StatusOr<v1::Worker> Fleet::Drain(const v1::DrainWorkerRequest& request) {
  return SetDraining(request.name(), true);
}

absl::StatusOr<v1::Worker> Fleet::Resume(const v1::ResumeWorkerRequest& request) {
  return SetDraining(request.name(), false);
}

absl::Status Fleet::Reap(const std::string& worker) {
  std::vector<AttemptId> lost;
  storage::WorkerRecord record;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    lost.clear();
    // Heard from while this waited its turn: not silent after all.
    if (!workers_.IsSilent(worker, options_.ttl + options_.grace)) return absl::OkStatus();
    ASSIGN_OR_RETURN(record, tx.workers().Get(worker));
    ASSIGN_OR_RETURN(const auto active, tx.jobs().ListActive(worker));
    for (const storage::JobRecord& job : active) {
      const AttemptId attempt{job.id, job.attempt};
      RETURN_IF_ERROR(
          attempts_.EndInTransaction(tx, attempt, WorkerLost("WORKER_SILENT", "its worker was not heard from")));
      lost.push_back(attempt);
    }
    record.session.clear();
    record.worker.set_state(v1::WORKER_STATE_OFFLINE);
    RETURN_IF_ERROR(tx.workers().Put(record));
    return AppendEvent(tx, v1::EVENT_TYPE_UPDATED, WorkerName(worker), v1::WorkerState_Name(v1::WORKER_STATE_OFFLINE),
                       environment_.clock.Now());
  }));
  if (record.id.empty()) return absl::OkStatus();
  workers_.Put(record);
  for (const AttemptId& attempt : lost) attempts_.AfterEnd(attempt, worker);
  spdlog::warn("worker lost worker={} lost_attempts={}", worker, lost.size());
  return absl::OkStatus();
}

void Fleet::ReapSilent() {
  for (const std::string& worker : workers_.Silent(options_.ttl + options_.grace)) {
    const absl::Status status = Reap(worker);
    if (!status.ok()) {
      spdlog::warn("taking back the jobs of {} failed, to be tried again: {}", worker, std::string(status.message()));
    }
  }
}

}  // namespace benchwire::core
