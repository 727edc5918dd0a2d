#include "tests/faults/power_loss/trial.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "server/base/mutex.h"
#include "server/base/status.h"
#include "storage/series/point_groups.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/store.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::faults {
namespace {

namespace fs = std::filesystem;

// What was acknowledged, and what of it before the power failed.
class Acknowledgements {
 public:
  void AddJob(const std::string& id) {
    MutexLock lock(mutex_);
    jobs_.push_back(id);
  }
  void AddBatch(int64_t sequence) {
    MutexLock lock(mutex_);
    batches_ = std::max(batches_, sequence);
  }
  // The power fails now.
  void Freeze() {
    MutexLock lock(mutex_);
    if (frozen_) return;
    frozen_ = true;
    jobs_before_ = jobs_;
    batches_before_ = batches_;
  }
  std::vector<std::string> jobs_before() const {
    MutexLock lock(mutex_);
    return jobs_before_;
  }
  int64_t batches_before() const {
    MutexLock lock(mutex_);
    return batches_before_;
  }

 private:
  mutable Mutex mutex_;
  bool frozen_ GUARDED_BY(mutex_) = false;
  std::vector<std::string> jobs_ GUARDED_BY(mutex_), jobs_before_ GUARDED_BY(mutex_);
  int64_t batches_ GUARDED_BY(mutex_) = 0, batches_before_ GUARDED_BY(mutex_) = 0;
};

// Sizes from some bytes to more than a checkpoint's worth in a few dozen writes.
size_t BytesOf(std::mt19937_64& random) { return size_t{64} << random() % 13; }

std::string LogOf(int64_t sequence) { return std::string(1'000 + static_cast<size_t>(sequence) * 37 % 9'000, 'x'); }

constexpr int kPointsOfBatch = 50;

// Of one series, its steps without a gap from batch to batch.
std::vector<storage::PointGroup> PointsOf(int64_t sequence) {
  google::protobuf::RepeatedPtrField<v1::Point> points;
  for (int64_t i = 0; i < kPointsOfBatch; ++i) {
    v1::Point* point = points.Add();
    point->set_metric("loss");
    point->set_step((sequence - 1) * kPointsOfBatch + i);
    point->set_value(1.0 / static_cast<double>(1 + point->step()));
  }
  return storage::GroupPoints(points);
}

void WriteJobs(storage::Store& store, uint64_t seed, Acknowledgements& acknowledged) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < 12; ++round) {
    Mutex mutex;
    CondVar done;
    int left = 1 + static_cast<int>(random() % 6);
    const int count = left;
    for (int i = 0; i < count; ++i) {
      const std::string id = "r" + std::to_string(round) + "n" + std::to_string(i);
      const size_t bytes = BytesOf(random);
      store.WriteAsync([id, bytes](storage::Transaction& t) { return storage::InsertJob(t, id, bytes); },
                       [&, id](const absl::Status& status) {
                         if (status.ok()) acknowledged.AddJob(id);
                         MutexLock lock(mutex);
                         if (--left == 0) done.notify_all();
                       });
    }
    MutexLock lock(mutex);
    while (left > 0) done.wait(mutex);
  }
}

void WriteTelemetry(storage::TelemetryStore& store, const AttemptId& attempt, Acknowledgements& acknowledged) {
  for (int64_t sequence = 1; sequence <= 30; ++sequence) {
    const auto cursor = store.Append({attempt, sequence, LogOf(sequence), PointsOf(sequence)});
    if (cursor.ok()) acknowledged.AddBatch(cursor->last_sequence);
  }
}

// Writes the image's files below `to` instead of `from`.
void Restore(const DiskImage& image, const std::string& from, const std::string& to) {
  for (const auto& [path, content] : image) {
    if (path.rfind(from, 0) != 0) continue;
    std::ofstream(to + path.substr(from.size()), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
}

void CheckStore(const std::string& path, const std::vector<std::string>& jobs, std::vector<std::string>& breaches) {
  const auto store = storage::SqliteStore::Open(path, [] {});
  if (!store.ok()) {
    breaches.push_back("INTEGRITY the store does not open: " + store.status().ToString());
    return;
  }
  if (const absl::Status status = storage::CheckJobs(**store, jobs); !status.ok()) {
    breaches.push_back((absl::IsNotFound(status) ? "LOST " : "TORN ") + status.ToString());
  }
  if (const absl::Status status = storage::WriteJob(**store, "after"); !status.ok()) {
    breaches.push_back("INTEGRITY no write after the failure: " + status.ToString());
  }
  if (const std::string verdict = storage::IntegrityCheck(path); verdict != "ok") {
    breaches.push_back("INTEGRITY " + verdict);
  }
}

void CheckSeries(const storage::TelemetryStore& store, const AttemptId& attempt, int64_t batches,
                 std::vector<std::string>& breaches) {
  const auto series = store.ReadSeries({.attempt = attempt, .series = 1});
  std::vector<storage::StepValue> want;
  for (int64_t sequence = 1; sequence <= batches; ++sequence) {
    const std::vector<storage::StepValue> points = PointsOf(sequence).front().points;
    want.insert(want.end(), points.begin(), points.end());
  }
  if (!series.ok() || series->points != want) breaches.push_back("TORN the series is not what its batches were");
}

void CheckTelemetry(const std::string& directory, const AttemptId& attempt, int64_t batches,
                    std::vector<std::string>& breaches) {
  const std::string path = directory + "/telemetry.db";
  const auto store = storage::SqliteTelemetryStore::Open(path, directory + "/artifacts");
  if (!store.ok()) {
    breaches.push_back("INTEGRITY the telemetry store does not open: " + store.status().ToString());
    return;
  }
  const auto cursor = (*store)->GetCursor(attempt);
  if (!cursor.ok() || cursor->last_sequence < batches) {
    breaches.push_back("LOST batch " + std::to_string(batches) + " of a log");
    return;
  }
  std::string want;
  for (int64_t sequence = 1; sequence <= cursor->last_sequence; ++sequence) want += LogOf(sequence);
  const auto log = (*store)->ReadLog(attempt, 0, INT64_MAX);
  if (!log.ok() || *log != want) breaches.push_back("TORN the log is not what its batches were");
  if (cursor->last_sequence > 0) CheckSeries(**store, attempt, cursor->last_sequence, breaches);
  if (const std::string verdict = storage::IntegrityCheck(path); verdict != "ok") {
    breaches.push_back("INTEGRITY " + verdict);
  }
}

}  // namespace

Outcome FailUnderStores(PowerLossVfs& vfs, uint64_t seed) {
  const TemporaryDirectory before, after;
  const AttemptId attempt{"j1", 1};
  std::mt19937_64 random(seed);
  Acknowledgements acknowledged;
  // From the making of the files to after the last write; some of the small numbers more than their share.
  const auto operation = static_cast<int64_t>(random() % (random() % 4 == 0 ? 60 : 2'500));
  vfs.FailAt(operation, random(), [&] { acknowledged.Freeze(); });
  {
    const auto store = storage::SqliteStore::Open(before.path() + "/main.db", [] {});
    const auto telemetry =
        storage::SqliteTelemetryStore::Open(before.path() + "/telemetry.db", before.path() + "/artifacts");
    if (!store.ok() || !telemetry.ok()) return {{"INTEGRITY the stores do not open"}, 0, false};
    std::thread logs([&] { WriteTelemetry(**telemetry, attempt, acknowledged); });
    WriteJobs(**store, random(), acknowledged);
    logs.join();
  }
  const auto image = vfs.image();
  Outcome outcome;
  outcome.failed = image.has_value();
  if (!outcome.failed) return outcome;
  Restore(*image, before.path(), after.path());
  const std::vector<std::string> jobs = acknowledged.jobs_before();
  outcome.acknowledged = static_cast<int64_t>(jobs.size()) + acknowledged.batches_before();
  CheckStore(after.path() + "/main.db", jobs, outcome.breaches);
  CheckTelemetry(after.path(), attempt, acknowledged.batches_before(), outcome.breaches);
  return outcome;
}

Outcome FailUnderTable(PowerLossVfs& vfs, uint64_t seed, const std::string& synchronous) {
  const TemporaryDirectory before, after;
  std::mt19937_64 random(seed);
  int64_t written = 0, acknowledged = 0;
  vfs.FailAt(static_cast<int64_t>(random() % 200), random(), [&] { acknowledged = written; });
  {
    const auto connection = storage::Connection::Open(before.path() + "/table.db", storage::Access::kReadWrite).value();
    absl::Status status = connection->Execute("PRAGMA synchronous=" + synchronous);
    if (status.ok()) status = connection->Execute("CREATE TABLE numbers (number INTEGER NOT NULL)");
    for (int i = 0; i < 40 && status.ok(); ++i) {
      status = connection->Execute("INSERT INTO numbers VALUES (" + std::to_string(i) + ")");
      if (status.ok()) ++written;
    }
    if (!status.ok()) return {{"INTEGRITY " + status.ToString()}, 0, false};
  }
  const auto image = vfs.image();
  Outcome outcome;
  outcome.failed = image.has_value();
  outcome.acknowledged = acknowledged;
  if (!outcome.failed) return outcome;
  Restore(*image, before.path(), after.path());
  const std::string path = after.path() + "/table.db";
  const auto connection = storage::Connection::Open(path, storage::Access::kReadWrite);
  int64_t found = 0;
  absl::Status status = connection.status();
  if (status.ok()) status = (*connection)->Execute("CREATE TABLE IF NOT EXISTS numbers (number INTEGER NOT NULL)");
  if (status.ok()) {
    try {
      (*connection)->session() << "SELECT count(*) FROM numbers", soci::into(found);
    } catch (const soci::soci_error& error) {
      status = absl::DataLossError(error.what());
    }
  }
  if (!status.ok()) outcome.breaches.push_back("INTEGRITY " + status.ToString());
  if (status.ok() && found < acknowledged) {
    outcome.breaches.push_back("LOST " + std::to_string(acknowledged - found) + " rows");
  }
  return outcome;
}

}  // namespace benchwire::faults
