#include "tests/bench/load/sqlite_floor.h"

#include <sqlite3.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "server/base/status.h"
#include "storage/sqlite/schema.h"

namespace benchwire::bench {
namespace {

using std::chrono::steady_clock;

// What the producers have waiting, and how far the writer has come.
struct Queue {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::atomic<int>*> waiting;
  bool stopping = false;
};

class Floor final : public SqliteFloor {
 public:
  ~Floor() override {
    for (sqlite3_stmt* statement : {begin_, job_, request_, event_, commit_}) sqlite3_finalize(statement);
    sqlite3_close(database_);
  }

  absl::Status SetUp(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) return Failed();
    std::string sql =
        "PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-20000; PRAGMA journal_mode=WAL;"
        "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000;";
    for (const storage::Migration& migration : storage::MainMigrations()) sql += migration.sql;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return Failed();
    RETURN_IF_ERROR(Prepare("BEGIN IMMEDIATE", begin_));
    RETURN_IF_ERROR(Prepare("COMMIT", commit_));
    RETURN_IF_ERROR(Prepare(
        "INSERT INTO jobs (id, state, priority, queued_at, resource, spec, attempt, epoch, token, worker, "
        "incarnation, lease_request, revision, submitter, shape, earliest_start, expires_at) VALUES (?1, 1, 50, "
        "?2, ?3, ?4, 0, 0, '', '', '', '', 1, 'local', '0123456789abcdef', 0, 0)",
        job_));
    RETURN_IF_ERROR(
        Prepare("INSERT INTO requests (method, request_id, payload_sha256, resource) VALUES ('CreateJob', ?1, ?2, ?3)",
                request_));
    return Prepare("INSERT INTO events (time, type, resource, state) VALUES (?1, 1, ?2, 'JOB_STATE_QUEUED')", event_);
  }

  absl::StatusOr<double> PerSecond(const JobRow& row, int producers, std::chrono::milliseconds duration) override {
    Queue queue;
    absl::Status written;
    const int64_t first = next_;
    const auto begin = steady_clock::now();
    const auto end = begin + duration;
    std::thread writer([&] { written = Write(queue, row); });
    std::vector<std::thread> threads;
    for (int i = 0; i < producers; ++i) threads.emplace_back([&queue, end] { Produce(queue, end); });
    for (std::thread& thread : threads) thread.join();
    {
      std::lock_guard lock(queue.mutex);
      queue.stopping = true;
      queue.wake.notify_one();
    }
    writer.join();
    RETURN_IF_ERROR(written);
    return static_cast<double>(next_ - first) / std::chrono::duration<double>(steady_clock::now() - begin).count();
  }

 private:
  static void Produce(Queue& queue, steady_clock::time_point end) {
    while (steady_clock::now() < end) {
      std::atomic<int> done = 0;  // int: what the kernel can wait for.
      {
        std::lock_guard lock(queue.mutex);
        queue.waiting.push_back(&done);
        if (queue.waiting.size() == 1) queue.wake.notify_one();
      }
      done.wait(0);
    }
  }

  // Ends where the queue stops. After a failure it still answers, so that no producer waits for ever.
  absl::Status Write(Queue& queue, const JobRow& row) {
    absl::Status status;
    std::vector<std::atomic<int>*> batch;
    while (true) {
      batch.clear();
      {
        std::unique_lock lock(queue.mutex);
        queue.wake.wait(lock, [&queue] { return !queue.waiting.empty() || queue.stopping; });
        if (queue.waiting.empty()) return status;
        batch.swap(queue.waiting);
      }
      if (status.ok()) status = Commit(row, batch.size());
      for (std::atomic<int>* done : batch) {
        // A producer leaves its flag as soon as it reads 1; notify_one only uses the address.
        done->store(1);
        done->notify_one();
      }
    }
  }

  absl::Status Commit(const JobRow& row, size_t rows) {
    RETURN_IF_ERROR(Step(begin_));
    for (size_t i = 0; i < rows; ++i) RETURN_IF_ERROR(Insert(row));
    return Step(commit_);
  }

  absl::Status Insert(const JobRow& row) {
    const int64_t number = ++next_;
    char id[64], name[80], request[64];
    std::snprintf(id, sizeof id, "01k%010lld0123456789abc", static_cast<long long>(number));
    std::snprintf(name, sizeof name, "jobs/%s", id);
    // As random as the ids of requests are.
    std::snprintf(request, sizeof request, "bench-%016llx",
                  static_cast<unsigned long long>(number) * 0x9E3779B97F4A7C15ULL);
    static const std::string kDigest(64, 'a');
    sqlite3_bind_text(job_, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_int64(job_, 2, number);
    sqlite3_bind_blob(job_, 3, row.resource.data(), static_cast<int>(row.resource.size()), SQLITE_STATIC);
    sqlite3_bind_blob(job_, 4, row.spec.data(), static_cast<int>(row.spec.size()), SQLITE_STATIC);
    RETURN_IF_ERROR(Step(job_));
    sqlite3_bind_text(request_, 1, request, -1, SQLITE_STATIC);
    sqlite3_bind_text(request_, 2, kDigest.data(), static_cast<int>(kDigest.size()), SQLITE_STATIC);
    sqlite3_bind_text(request_, 3, name, -1, SQLITE_STATIC);
    RETURN_IF_ERROR(Step(request_));
    sqlite3_bind_int64(event_, 1, number);
    sqlite3_bind_text(event_, 2, name, -1, SQLITE_STATIC);
    return Step(event_);
  }

  absl::Status Prepare(const char* sql, sqlite3_stmt*& statement) {
    if (sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) == SQLITE_OK) return {};
    return Failed();
  }
  absl::Status Step(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) return Failed();
    sqlite3_reset(statement);
    return absl::OkStatus();
  }
  absl::Status Failed() const { return absl::InternalError(std::string("sqlite3: ") + sqlite3_errmsg(database_)); }

  sqlite3* database_ = nullptr;
  sqlite3_stmt *begin_ = nullptr, *job_ = nullptr, *request_ = nullptr, *event_ = nullptr, *commit_ = nullptr;
  int64_t next_ = 0;  // Rows inserted, counted by the writer.
};

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteFloor>> SqliteFloor::Open(const std::string& path) {
  auto floor = std::make_unique<Floor>();
  RETURN_IF_ERROR(floor->SetUp(path));
  return floor;
}

}  // namespace benchwire::bench
