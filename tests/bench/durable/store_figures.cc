#include "tests/bench/durable/store_figures.h"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "benchwire/v1/job_service.grpc.pb.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/base/resource_name.h"
#include "server/base/sha256.h"
#include "server/base/status.h"
#include "server/core/environment.h"
#include "server/core/lifecycle.h"
#include "storage/sqlite/store.h"
#include "tests/bench/load/fake_worker.h"
#include "tests/bench/load/rpc_load.h"
#include "tests/bench/load/small_job.h"
#include "tests/bench/load/sqlite_floor.h"

namespace benchwire::bench {
namespace {

constexpr int kProducers = 64;
constexpr int kClaimWorkers = 32;
constexpr int kSubmitRounds = 7;
constexpr int kClaimRounds = 5;
constexpr int kClaimsARound = 1'500;
constexpr std::chrono::milliseconds kSubmitRound{1'000};

// A job as the server makes it of SmallJob.
v1::Job ResolvedJob() {
  v1::Job job = SmallJob().job();
  job.set_seed(1);
  job.set_priority(50);
  job.mutable_timeout()->set_seconds(3'600);
  job.set_max_attempts(3);
  job.mutable_requirements()->set_cpus(1);
  job.mutable_requirements()->set_exclusivity(v1::EXCLUSIVITY_HOST);
  job.set_submitter("local");
  job.set_state(v1::JOB_STATE_QUEUED);
  job.set_spec_digest(std::string(64, 'a'));
  return job;
}

storage::JobRecord NewRecord(const JobRow& row, const Clock& clock, RandomSource& random) {
  storage::JobRecord record;
  record.id = SortableId(clock.Now(), random);
  record.queued_at = clock.Now().time_since_epoch().count();
  record.job.ParseFromString(row.resource);
  record.job.set_name(JobName(record.id));
  record.spec_json = row.spec;
  record.shape = "0123456789abcdef";
  return record;
}

absl::Status Submit(storage::Store& store, const JobRow& row, const Clock& clock, RandomSource& random,
                    storage::JobRecord* made = nullptr) {
  storage::JobRecord record = NewRecord(row, clock, random);
  if (made != nullptr) *made = record;
  const std::string request = RandomId(random);
  return store.Write([&](storage::Transaction& tx) -> absl::Status {
    RETURN_IF_ERROR(tx.jobs().Insert(record));
    RETURN_IF_ERROR(tx.requests().Insert("CreateJob", request, {std::string(64, 'a'), record.job.name()}));
    return core::AppendEvent(tx, v1::EVENT_TYPE_CREATED, record.job.name(), "JOB_STATE_QUEUED", clock.Now());
  });
}

// Runs `one` on `threads` threads until it says false; the first error ends it.
absl::Status InThreads(int threads, const std::function<absl::StatusOr<bool>(RandomSource&)>& one) {
  std::vector<absl::Status> statuses(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (absl::Status& status : statuses) {
    running.emplace_back([&one, &status] {
      SystemRandom random;
      while (status.ok()) {
        const absl::StatusOr<bool> more = one(random);
        if (!more.ok()) status = more.status();
        if (!more.ok() || !*more) return;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

absl::StatusOr<double> SubmitsPerSecond(storage::Store& store, const JobRow& row) {
  const SystemClock clock;
  std::atomic<int> count = 0;
  const SteadyTime begin = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(InThreads(kProducers, [&](RandomSource& random) -> absl::StatusOr<bool> {
    RETURN_IF_ERROR(Submit(store, row, clock, random));
    ++count;
    return std::chrono::steady_clock::now() < begin + kSubmitRound;
  }));
  return count / SecondsSince(begin);
}

// The transactions of LeaseJob, StartAttempt and CompleteAttempt of one queued job.
absl::Status LiveThrough(storage::Store& store, const std::string& job, const Clock& clock, RandomSource& random) {
  const std::string token = Sha256Hex(random.Bytes(16));
  RETURN_IF_ERROR(store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(storage::JobRecord record, tx.jobs().Get(job));
    const v1::Attempt attempt =
        core::Assign(record, {"bench", "incarnation", RandomId(random), token, {}}, clock.Now());
    RETURN_IF_ERROR(core::SaveJob(tx, record, clock.Now()));
    return tx.jobs().PutAttempt({job, 1}, attempt);
  }));
  RETURN_IF_ERROR(store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(storage::JobRecord record, tx.jobs().Get(job));
    ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt({job, 1}));
    RETURN_IF_ERROR(core::Start(record, attempt, clock.Now()));
    RETURN_IF_ERROR(tx.jobs().PutAttempt({job, 1}, attempt));
    return core::SaveJob(tx, record, clock.Now());
  }));
  return store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(storage::JobRecord record, tx.jobs().Get(job));
    ASSIGN_OR_RETURN(v1::Attempt attempt, tx.jobs().GetAttempt({job, 1}));
    core::Ending ending;
    ending.state = v1::ATTEMPT_STATE_SUCCEEDED;
    core::End(record, attempt, ending, {}, clock.Now(), random);
    RETURN_IF_ERROR(tx.jobs().PutAttempt({job, 1}, attempt));
    return core::SaveJob(tx, record, clock.Now());
  });
}

absl::StatusOr<double> LivesPerSecond(storage::Store& store, const JobRow& row) {
  const SystemClock clock;
  std::vector<std::string> jobs(kClaimsARound);
  std::atomic<size_t> made = 0, taken = 0;
  RETURN_IF_ERROR(InThreads(kProducers, [&](RandomSource& random) -> absl::StatusOr<bool> {
    const size_t number = made++;
    if (number >= jobs.size()) return false;
    storage::JobRecord record;
    RETURN_IF_ERROR(Submit(store, row, clock, random, &record));
    jobs[number] = record.id;
    return true;
  }));
  const SteadyTime begin = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(InThreads(kClaimWorkers, [&](RandomSource& random) -> absl::StatusOr<bool> {
    const size_t number = taken++;
    if (number >= jobs.size()) return false;
    RETURN_IF_ERROR(LiveThrough(store, jobs[number], clock, random));
    return true;
  }));
  return kClaimsARound / SecondsSince(begin);
}

}  // namespace

absl::Status MeasureStoreSubmit(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto store, storage::SqliteStore::Open(place.directory + "/store.db", [] {}));
  ASSIGN_OR_RETURN(const auto floor, SqliteFloor::Open(place.directory + "/bare.db"));
  ASSIGN_OR_RETURN(const JobRow row, RowOf(ResolvedJob()));
  RETURN_IF_ERROR(SubmitsPerSecond(*store, row).status());
  RETURN_IF_ERROR(floor->PerSecond(row, kProducers, kSubmitRound).status());
  std::vector<double> submits, bares, ratios;
  for (int round = 0; round < kSubmitRounds; ++round) {
    ASSIGN_OR_RETURN(const double submit, SubmitsPerSecond(*store, row));
    ASSIGN_OR_RETURN(const double bare, floor->PerSecond(row, kProducers, kSubmitRound));
    submits.push_back(submit);
    bares.push_back(bare);
    ratios.push_back(submit / bare);
  }
  const double reference = Median(bares);
  report.Add({"durable.submit_ratio", "1", ratios,
              "job, request and event row through the store by 64 threads, over the same through bare sqlite3 in the "
              "same round; one writer with group commit, synchronous=FULL",
              ">= 0.8", "durable.bare_sqlite_per_s", reference});
  report.Add({"durable.submit_per_s", "1/s", submits, "the store's rate of durable.submit_ratio", "",
              "durable.bare_sqlite_per_s", reference});
  return absl::OkStatus();
}

absl::Status MeasureClaimComplete(const BenchPlace& place, Report& report) {
  ASSIGN_OR_RETURN(const auto server, StartServer(place, place.directory + "/claims"));
  ASSIGN_OR_RETURN(const auto store, storage::SqliteStore::Open(place.directory + "/lives.db", [] {}));
  ASSIGN_OR_RETURN(const JobRow row, RowOf(ResolvedJob()));
  const auto jobs = Connect<v1::JobService>(PortOf(*server, "grpc"), kConnections);
  const AgentStubs agents = Connect<v1::AgentService>(PortOf(*server, "grpc"), kConnections);
  std::vector<std::string> sessions;
  for (int i = 0; i < kClaimWorkers; ++i) {
    ASSIGN_OR_RETURN(std::string session, RegisterFakeWorker(*agents[0], "bench-" + std::to_string(i)));
    sessions.push_back(std::move(session));
  }
  std::vector<double> rates, references, ratios;
  for (int round = 0; round < kClaimRounds; ++round) {
    RETURN_IF_ERROR(
        CallsPerSecond(jobs, &v1::JobService::Stub::PrepareAsyncCreateJob, kProducers, Times(kClaimsARound, SmallJob))
            .status());
    ASSIGN_OR_RETURN(const double rate, ClaimsPerSecond(agents, sessions, kClaimsARound));
    ASSIGN_OR_RETURN(const double reference, LivesPerSecond(*store, row));
    rates.push_back(rate);
    references.push_back(reference);
    ratios.push_back(rate / reference);
  }
  const std::string how =
      "LeaseJob, StartAttempt and CompleteAttempt of 1,500 queued jobs a round by 32 workers over gRPC, ";
  report.Add({"durable.claim_complete_ratio", "1", ratios,
              how + "over the same three transactions of each job straight on the store by 32 threads", ">= 0.5",
              "durable.store_lives_per_s", Median(references)});
  report.Add({"durable.claim_complete_per_s", "1/s", rates, how + "jobs a second", ">= 3000 where an fsync is <= 1 ms",
              "durable.store_lives_per_s", Median(references)});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
