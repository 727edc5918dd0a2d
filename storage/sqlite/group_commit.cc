#include "storage/sqlite/group_commit.h"

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <utility>

#include "server/base/status.h"
#include "storage/sqlite/errors.h"

namespace benchwire::storage {
namespace {

constexpr int64_t kCheckpointPages = 1'000;  // A checkpoint after this many pages of log.
// A log of this many pages (64 MiB) is cut: readers that overlap without a gap keep it from beginning anew by itself.
constexpr int64_t kCutPages = 16'384;

// After a failed fsync the kernel may drop what it could not write, and a later fsync succeeds all the same (A. Rebello
// et al., Can Applications Recover from fsync Failures?, USENIX ATC 2020). So no write is answered any more; the next
// start reads what the disk really holds.
void EndProcessWhereNotSynced(const absl::Status& status) {
  if (!IsSyncFailure(status)) return;
  spdlog::critical("the disk did not confirm a write; ending: {}", std::string(status.message()));
  spdlog::default_logger()->flush();
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

GroupCommit::GroupCommit(Connection& connection, std::function<void()> after_commit)
    : connection_(connection),
      after_commit_(std::move(after_commit)),
      begin_(connection.session(), "BEGIN IMMEDIATE"),
      commit_(connection.session(), "COMMIT"),
      savepoint_(connection.session(), "SAVEPOINT one_write"),
      release_(connection.session(), "RELEASE one_write"),
      rollback_to_(connection.session(), "ROLLBACK TO one_write"),
      thread_([this] { Run(); }) {}

GroupCommit::~GroupCommit() {
  Stop();
  thread_.join();
}

void GroupCommit::Add(Item item) {
  absl::Status refusal;
  {
    MutexLock lock(mutex_);
    if (stopping_) {
      refusal = MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping");
    } else if (queue_.size() >= kMaxQueued || queued_bytes_ + item.bytes > kMaxQueuedBytes) {
      refusal =
          WithRetryAfter(MakeError(absl::StatusCode::kResourceExhausted, "QUEUE_FULL", "too many writes are waiting"),
                         std::chrono::seconds(1));
    } else {
      queued_bytes_ += item.bytes;
      queue_.push_back(std::move(item));
      if (queue_.size() == 1) wake_.notify_one();
      return;
    }
  }
  item.done(refusal);
}

void GroupCommit::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  wake_.notify_one();
}

void GroupCommit::Run() {
  while (true) {
    std::vector<Item> batch = TakeBatch();
    if (batch.empty()) return;
    CommitBatch(batch);
    MaybeCheckpoint();
  }
}

std::vector<GroupCommit::Item> GroupCommit::TakeBatch() {
  MutexLock lock(mutex_);
  while (queue_.empty() && !stopping_) wake_.wait(mutex_);
  std::vector<Item> batch;
  size_t bytes = 0;
  while (!queue_.empty() && batch.size() < kMaxBatch && bytes < kMaxBatchBytes) {
    bytes += queue_.front().bytes;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queued_bytes_ -= bytes;
  return batch;
}

void GroupCommit::CommitBatch(std::vector<Item>& batch) {
  std::vector<absl::Status> outcomes(batch.size());
  absl::Status status = ApplyAll(batch, outcomes);
  if (status.ok()) status = commit_.Execute().status();
  EndProcessWhereNotSynced(status);
  if (!status.ok()) {
    spdlog::error("a transaction of {} writes failed: {}", batch.size(), std::string(status.message()));
    if (connection_.in_transaction()) {
      const absl::Status undone = connection_.Execute("ROLLBACK");
      if (!undone.ok()) spdlog::error("a transaction cannot be rolled back: {}", std::string(undone.message()));
    }
    for (absl::Status& outcome : outcomes) outcome = status;
  } else {
    after_commit_();
  }
  for (size_t i = 0; i < batch.size(); ++i) batch[i].done(outcomes[i]);
}

absl::Status GroupCommit::ApplyAll(std::vector<Item>& batch, std::vector<absl::Status>& outcomes) {
  RETURN_IF_ERROR(begin_.Execute().status());
  for (size_t i = 0; i < batch.size(); ++i) RETURN_IF_ERROR(ApplyOne(batch[i], outcomes[i]));
  return absl::OkStatus();
}

absl::Status GroupCommit::ApplyOne(Item& item, absl::Status& outcome) {
  RETURN_IF_ERROR(savepoint_.Execute().status());
  outcome = item.apply();
  EndProcessWhereNotSynced(outcome);
  if (!outcome.ok()) {
    if (!connection_.in_transaction()) return outcome;
    RETURN_IF_ERROR(rollback_to_.Execute().status());
  }
  return release_.Execute().status();
}

void GroupCommit::MaybeCheckpoint() {
  const int64_t pages = connection_.log_pages();
  if (pages < checkpointed_pages_) checkpointed_pages_ = 0;  // The log has begun anew.
  if (pages - checkpointed_pages_ < kCheckpointPages) return;
  const absl::Status status = connection_.Checkpoint(/*truncate=*/pages >= kCutPages);
  EndProcessWhereNotSynced(status);
  checkpointed_pages_ = connection_.log_pages();
  if (!status.ok()) spdlog::warn("checkpoint failed: {}", std::string(status.message()));
}

}  // namespace benchwire::storage
