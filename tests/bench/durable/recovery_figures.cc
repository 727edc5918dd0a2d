#include "tests/bench/durable/recovery_figures.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "server/core/environment.h"
#include "storage/data_directory.h"
#include "storage/sqlite/store.h"
#include "tests/bench/durable/real_worker.h"
#include "tests/bench/durable/term_runner.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"

namespace benchwire::bench {
namespace {

constexpr int kKilledWorkers = 5;
constexpr int kRestarts = 5;
constexpr int kJobs = 100'000;
constexpr int kJobsAWrite = 1'000;

struct LostJob {
  std::string name;
  std::unique_ptr<Child> worker;
  SteadyTime killed;
  std::optional<double> seconds;
};

absl::Status PutJob(storage::Transaction& tx, v1::JobState state, const Clock& clock, RandomSource& random) {
  storage::JobRecord record;
  record.id = SortableId(clock.Now(), random);
  record.queued_at = clock.Now().time_since_epoch().count();
  record.job = SmallJob().job();
  record.job.set_name(JobName(record.id));
  record.job.set_state(state);
  record.job.mutable_timeout()->set_seconds(3'600);
  ASSIGN_OR_RETURN(const JobRow row, RowOf(record.job));
  record.spec_json = row.spec;
  record.shape = "0123456789abcdef";
  RETURN_IF_ERROR(tx.jobs().Insert(record));
  if (state == v1::JOB_STATE_SUCCEEDED) {
    v1::Attempt attempt;
    attempt.set_name(AttemptName({record.id, 1}));
    attempt.set_worker("workers/bench");
    attempt.set_state(v1::ATTEMPT_STATE_SUCCEEDED);
    RETURN_IF_ERROR(tx.jobs().PutAttempt({record.id, 1}, attempt));
  }
  return core::AppendEvent(tx, v1::EVENT_TYPE_CREATED, record.job.name(), v1::JobState_Name(state), clock.Now());
}

// One in ten waits, the others have ended.
absl::Status FillStore(const std::string& directory) {
  const SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(const auto data, storage::DataDirectory::Acquire(directory));
  ASSIGN_OR_RETURN(const auto store, storage::SqliteStore::Open(data->main_database(), [] {}));
  for (int made = 0; made < kJobs; made += kJobsAWrite) {
    RETURN_IF_ERROR(store->Write([&](storage::Transaction& tx) -> absl::Status {
      for (int i = 0; i < kJobsAWrite; ++i) {
        const v1::JobState state = i % 10 == 0 ? v1::JOB_STATE_QUEUED : v1::JOB_STATE_SUCCEEDED;
        RETURN_IF_ERROR(PutJob(tx, state, clock, random));
      }
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MeasureRequeue(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/requeue"));
  ASSIGN_OR_RETURN(const std::string runners, MakeRunnersDirectory(place.directory));
  ServerJobs client(PortOf(*server, "grpc"));
  std::vector<LostJob> jobs(kKilledWorkers);
  for (int i = 0; i < kKilledWorkers; ++i) {
    LostJob& lost = jobs[static_cast<size_t>(i)];
    const std::string name = "requeue-" + std::to_string(i);
    ASSIGN_OR_RETURN(lost.worker, StartTermWorker(place, runners, PortOf(*server, "grpc"), name));
    ASSIGN_OR_RETURN(const v1::Job created, client.jobs.Create(SmallJob()));
    lost.name = created.name();
    RETURN_IF_ERROR(WaitFor(std::chrono::milliseconds(20), [&]() -> absl::StatusOr<bool> {
      ASSIGN_OR_RETURN(const v1::Job now, client.jobs.Get(lost.name));
      return now.state() == v1::JOB_STATE_RUNNING;
    }));
    // At different times after their last renewals.
    std::this_thread::sleep_for(std::chrono::seconds(3));
  }
  for (LostJob& lost : jobs) {
    lost.worker->Kill();
    lost.killed = std::chrono::steady_clock::now();
  }
  RETURN_IF_ERROR(WaitFor(std::chrono::milliseconds(20), [&]() -> absl::StatusOr<bool> {
    for (LostJob& lost : jobs) {
      if (lost.seconds) continue;
      ASSIGN_OR_RETURN(const v1::Job now, client.jobs.Get(lost.name));
      if (now.state() == v1::JOB_STATE_QUEUED) lost.seconds = SecondsSince(lost.killed);
    }
    return std::all_of(jobs.begin(), jobs.end(), [](const LostJob& lost) { return lost.seconds.has_value(); });
  }));
  std::vector<double> seconds;
  for (const LostJob& lost : jobs) seconds.push_back(*lost.seconds);
  report.Add({"durable.requeue_s", "s", seconds,
              "kill -9 of a real worker whose runner runs, to its job being queued again; default times", "<= 65", "",
              0});
  return absl::OkStatus();
}

absl::Status MeasureRestart(const BenchPlace& place, Report& report) {
  const std::string data = place.directory + "/restart";
  RETURN_IF_ERROR(FillStore(data));
  std::vector<double> seconds;
  for (int round = 0; round <= kRestarts; ++round) {
    const SteadyTime begin = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const auto server, StartServer(place, data));
    ServerJobs client(PortOf(*server, "grpc"));
    RETURN_IF_ERROR(client.jobs.Create(SmallJob()).status());
    // The first one starts after a clean end.
    if (round > 0) seconds.push_back(SecondsSince(begin));
    server->Kill();
  }
  report.Add({"durable.recovery_restart_s", "s", seconds,
              "start of a server that was killed with 100,000 jobs, of which 10,000 wait, to the answer of a CreateJob",
              "<= 5", "", 0});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
