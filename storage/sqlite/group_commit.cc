#include "storage/sqlite/group_commit.h"

#include <spdlog/spdlog.h>

#include <iterator>
#include <utility>

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

// A passive checkpoint after this many writes, one that cuts the log after many more.
constexpr size_t kCheckpointWrites = 2'000;

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
    } else if (queue_.size() >= kMaxQueued) {
      refusal =
          WithRetryAfter(MakeError(absl::StatusCode::kResourceExhausted, "QUEUE_FULL", "too many writes are waiting"),
                         std::chrono::seconds(1));
    } else {
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
    std::vector<Item> batch;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      if (queue_.size() <= kMaxBatch) {
        batch.swap(queue_);
      } else {
        const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(kMaxBatch);
        batch.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
        queue_.erase(queue_.begin(), end);
      }
    }
    CommitBatch(batch);
    MaybeCheckpoint();
  }
}

void GroupCommit::CommitBatch(std::vector<Item>& batch) {
  std::vector<absl::Status> outcomes(batch.size());
  absl::Status status = ApplyAll(batch, outcomes);
  if (status.ok()) status = commit_.Execute().status();
  if (!status.ok()) {
    spdlog::error("a transaction of {} writes failed: {}", batch.size(), std::string(status.message()));
    (void)connection_.Execute("ROLLBACK");  // Where the engine has rolled back by itself this fails, rightly.
    for (absl::Status& outcome : outcomes) outcome = status;
  } else {
    after_commit_();
  }
  for (size_t i = 0; i < batch.size(); ++i) batch[i].done(outcomes[i]);
  writes_since_checkpoint_ += batch.size();
}

absl::Status GroupCommit::ApplyAll(std::vector<Item>& batch, std::vector<absl::Status>& outcomes) {
  RETURN_IF_ERROR(begin_.Execute().status());
  for (size_t i = 0; i < batch.size(); ++i) RETURN_IF_ERROR(ApplyOne(batch[i], outcomes[i]));
  return absl::OkStatus();
}

absl::Status GroupCommit::ApplyOne(Item& item, absl::Status& outcome) {
  RETURN_IF_ERROR(savepoint_.Execute().status());
  outcome = item.apply();
  if (!outcome.ok()) RETURN_IF_ERROR(rollback_to_.Execute().status());
  return release_.Execute().status();
}

void GroupCommit::MaybeCheckpoint() {
  if (writes_since_checkpoint_ < kCheckpointWrites) return;
  writes_since_checkpoint_ = 0;
  const absl::Status status = connection_.Checkpoint(/*truncate=*/false);
  if (!status.ok()) spdlog::warn("checkpoint failed: {}", std::string(status.message()));
}

}  // namespace benchwire::storage
