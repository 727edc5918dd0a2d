// The thread that owns a database file's one write connection. It takes every waiting write, runs each in a savepoint
// of one transaction, commits once (one fsync) and then answers all: many concurrent writers share the cost of the
// disk, and none is answered before its change is durable. A failed fsync ends the process, answering nothing: what is
// on the disk is unknown then. It also makes all checkpoints; SQLite before 3.51.3 may
// corrupt a database whose log is reset by two connections at once.
#ifndef BENCHWIRE_STORAGE_SQLITE_GROUP_COMMIT_H_
#define BENCHWIRE_STORAGE_SQLITE_GROUP_COMMIT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "server/base/mutex.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/statement.h"

namespace benchwire::storage {

class GroupCommit {
 public:
  // One write. `apply` runs on the writer thread; where it fails its savepoint is rolled back. `done` gets its outcome.
  struct Item {
    std::function<absl::Status()> apply;
    std::function<void(const absl::Status&)> done;
    size_t bytes = 0;  // What it holds in memory, where that is large.
  };

  // `after_commit` is called on the writer thread after each commit, before the writes of it are answered.
  GroupCommit(Connection& connection, std::function<void()> after_commit);
  // Commits what is waiting and joins the thread.
  ~GroupCommit();
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  // Any thread. Answers RESOURCE_EXHAUSTED/QUEUE_FULL at once where kMaxQueued writes or kMaxQueuedBytes
  // wait, UNAVAILABLE/STOPPING after Stop.
  void Add(Item item);

  // Commits what is waiting; later writes are refused. Any thread, once or more.
  void Stop();

  static constexpr size_t kMaxQueued = 20'000;
  static constexpr size_t kMaxQueuedBytes = 128 << 20;
  static constexpr size_t kMaxBatch = 1'000;
  static constexpr size_t kMaxBatchBytes = 16 << 20;

 private:
  void Run();
  // Waits for writes and takes the oldest; none where there is nothing left to do.
  std::vector<Item> TakeBatch();
  void CommitBatch(std::vector<Item>& batch);
  absl::Status ApplyAll(std::vector<Item>& batch, std::vector<absl::Status>& outcomes);
  absl::Status ApplyOne(Item& item, absl::Status& outcome);
  void MaybeCheckpoint();

  Connection& connection_;
  const std::function<void()> after_commit_;
  Command<> begin_, commit_, savepoint_, release_, rollback_to_;
  int64_t checkpointed_pages_ = 0;  // Length of the log at the latest checkpoint.

  Mutex mutex_;
  CondVar wake_;
  std::deque<Item> queue_ GUARDED_BY(mutex_);
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_GROUP_COMMIT_H_
