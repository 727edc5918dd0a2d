// What an attempt still has to tell the server: batches numbered from 1 that are kept until the server has them on
// disk, the rows not yet in a batch, and the latest progress. In memory only: what a runner that has not ended reported
// is worth nothing once its agent is gone. After its end, spool.h keeps what is left in here.
//
// Bounds: the log is capped before it comes here (CappedLog); for points, measurements and parts of artifacts HasRoom()
// turns false, and the caller stops reading the runner's events until the server has acknowledged some (backpressure on
// the runner). At most kMaxUnacknowledged batches are in flight. Progress is coalesced: the newest wins.
//
// Appends come from the attempt's thread, NextMessage from the stream's writer, OnResponse from its reader. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_OUTBOX_H_
#define BENCHWIRE_WORKERS_AGENT_OUTBOX_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "benchwire/v1/agent_service.pb.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"

namespace benchwire::agent {

struct OutboxLimits {
  size_t log_bytes = size_t{256} << 10;
  int points = 500;
  int measurements = 64;
  // Of a whole message, less what the fence and the framing take.
  size_t message_bytes = (size_t{1} << 20) - 4096;
  size_t unacknowledged = 16;
  // Rows that wait for a batch.
  size_t waiting_rows = 4000;
  size_t waiting_row_bytes = size_t{4} << 20;
  // Longest time a row or log byte waits for company.
  std::chrono::milliseconds flush_interval{200};
  // Least time between two progress messages; between two repeats of the same batches.
  std::chrono::milliseconds progress_interval{200};
  std::chrono::milliseconds resend_interval{500};
};

class Outbox {
 public:
  // `on_room` is called, without a lock, whenever an acknowledgement may have made room.
  Outbox(OutboxLimits limits, const Clock& clock, std::function<void()> on_room);

  void AppendLog(std::string_view bytes);
  void Append(v1::Point point);
  void Append(v1::Measurement measurement);
  void Append(v1::ArtifactChunk chunk);
  void SetProgress(const v1::Progress& progress);
  v1::Progress progress() const;
  bool HasRoom() const;
  // Nothing more will come: all that waits is put into batches, and last_sequence() is final.
  void Finish();
  // The batches to be sent yet, in order. After Finish.
  std::vector<v1::ReportRequest> Unacknowledged() const;
  // An outbox that is finished and has these batches left, of which the last is number `last_sequence`. Call first.
  void Restore(std::vector<v1::ReportRequest> batches, int64_t last_sequence);

  // Waits up to `timeout` for something to send. The message lacks session and fence. Nothing: timed out or
  // interrupted.
  std::optional<v1::ReportRequest> NextMessage(std::chrono::milliseconds timeout);
  // Ends a NextMessage that waits.
  void Interrupt();
  // A new stream: everything unacknowledged is sent again.
  void Restart();
  // What the server said about sequences: drops what is on disk, sends again what it did not take.
  void OnResponse(int64_t acknowledged, int64_t next);

  // Waits until all was acknowledged. False: not within `timeout`. After Finish only.
  bool WaitAcknowledged(std::chrono::milliseconds timeout);
  // Sends again from `next`, which the server said it lacks. False where that batch is not here any more.
  bool Rewind(int64_t next);
  // Number of the last batch made.
  int64_t last_sequence() const;

 private:
  struct Row {
    std::variant<v1::Point, v1::Measurement, v1::ArtifactChunk> value;
    size_t bytes = 0;
  };

  void AddRow(Row row);
  bool HasPlaceFor(const Row& row, const v1::ReportRequest& batch) const;
  bool HasWaiting() const REQUIRES(mutex_) { return log_begin_ < log_.size() || !rows_.empty(); }
  bool IsBatchFull() const REQUIRES(mutex_);
  std::chrono::milliseconds UntilReady(MonotonicTime now) const REQUIRES(mutex_);
  void Seal() REQUIRES(mutex_);
  int64_t first() const REQUIRES(mutex_) { return last_ - static_cast<int64_t>(batches_.size()) + 1; }

  const OutboxLimits limits_;
  const Clock& clock_;
  const std::function<void()> on_room_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::string log_ GUARDED_BY(mutex_);
  size_t log_begin_ GUARDED_BY(mutex_) = 0;
  std::deque<Row> rows_ GUARDED_BY(mutex_);
  size_t row_bytes_ GUARDED_BY(mutex_) = 0;
  // When the oldest waiting byte or row came.
  MonotonicTime waiting_since_ GUARDED_BY(mutex_);
  // Unacknowledged batches first() … last_.
  std::deque<v1::ReportRequest> batches_ GUARDED_BY(mutex_);
  int64_t last_ GUARDED_BY(mutex_) = 0;
  // The next one to send, first() … last_ + 1.
  int64_t cursor_ GUARDED_BY(mutex_) = 1;
  v1::Progress progress_ GUARDED_BY(mutex_);
  bool progress_dirty_ GUARDED_BY(mutex_) = false;
  MonotonicTime progress_sent_ GUARDED_BY(mutex_);
  MonotonicTime rewound_ GUARDED_BY(mutex_);
  bool interrupted_ GUARDED_BY(mutex_) = false;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_OUTBOX_H_
