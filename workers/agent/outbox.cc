#include "workers/agent/outbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNever = milliseconds::max();

// Time until `at`, at least 0, rounded up so that a wait for it is not one of zero.
milliseconds Until(MonotonicTime at, MonotonicTime now) {
  return at <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(at - now);
}

}  // namespace

Outbox::Outbox(OutboxLimits limits, const Clock& clock, std::function<void()> on_room)
    : limits_(limits),
      clock_(clock),
      on_room_(std::move(on_room)),
      progress_sent_(clock.Monotonic() - limits.progress_interval),
      rewound_(clock.Monotonic() - limits.resend_interval) {}

void Outbox::AppendLog(std::string_view bytes) {
  if (bytes.empty()) return;
  MutexLock lock(mutex_);
  if (!HasWaiting()) waiting_since_ = clock_.Monotonic();
  log_.append(bytes);
  changed_.notify_all();
}

void Outbox::Append(v1::Point point) {
  const size_t bytes = point.ByteSizeLong();
  AddRow({std::move(point), bytes});
}

void Outbox::Append(v1::Measurement measurement) {
  const size_t bytes = measurement.ByteSizeLong();
  AddRow({std::move(measurement), bytes});
}

void Outbox::Append(v1::ArtifactChunk chunk) {
  const size_t bytes = chunk.ByteSizeLong();
  AddRow({std::move(chunk), bytes});
}

void Outbox::AddRow(Row row) {
  // Tag and length of the row in its message.
  row.bytes += 8;
  MutexLock lock(mutex_);
  if (!HasWaiting()) waiting_since_ = clock_.Monotonic();
  row_bytes_ += row.bytes;
  rows_.push_back(std::move(row));
  changed_.notify_all();
}

void Outbox::SetProgress(const v1::Progress& progress) {
  MutexLock lock(mutex_);
  progress_ = progress;
  progress_dirty_ = true;
  changed_.notify_all();
}

v1::Progress Outbox::progress() const {
  MutexLock lock(mutex_);
  return progress_;
}

bool Outbox::HasRoom() const {
  MutexLock lock(mutex_);
  return rows_.size() < limits_.waiting_rows && row_bytes_ < limits_.waiting_row_bytes;
}

void Outbox::Finish() {
  MutexLock lock(mutex_);
  // Now, whatever is in flight, so that last_sequence() is the last one. What waits is bounded.
  while (HasWaiting()) Seal();
  changed_.notify_all();
}

std::vector<v1::ReportRequest> Outbox::Unacknowledged() const {
  MutexLock lock(mutex_);
  return {batches_.begin(), batches_.end()};
}

void Outbox::Restore(std::vector<v1::ReportRequest> batches, int64_t last_sequence) {
  MutexLock lock(mutex_);
  batches_.assign(std::make_move_iterator(batches.begin()), std::make_move_iterator(batches.end()));
  last_ = last_sequence;
  cursor_ = first();
}

bool Outbox::IsBatchFull() const {
  return log_.size() - log_begin_ >= limits_.log_bytes || rows_.size() >= static_cast<size_t>(limits_.measurements) ||
         row_bytes_ >= limits_.message_bytes;
}

// 0 where something can be sent now; kNever where only an event can change that.
milliseconds Outbox::UntilReady(MonotonicTime now) const {
  if (cursor_ <= last_) return milliseconds(0);
  milliseconds wait = kNever;
  if (HasWaiting() && batches_.size() < limits_.unacknowledged) {
    if (IsBatchFull()) return milliseconds(0);
    wait = Until(waiting_since_ + limits_.flush_interval, now);
  }
  if (progress_dirty_) wait = std::min(wait, Until(progress_sent_ + limits_.progress_interval, now));
  return wait;
}

bool Outbox::HasPlaceFor(const Row& row, const v1::ReportRequest& batch) const {
  if (std::holds_alternative<v1::Point>(row.value)) return batch.points_size() < limits_.points;
  if (std::holds_alternative<v1::Measurement>(row.value)) return batch.measurements_size() < limits_.measurements;
  return true;
}

// Moves what fits from the waiting bytes and rows into a new batch.
void Outbox::Seal() {
  v1::ReportRequest batch;
  batch.set_sequence(++last_);
  const size_t log = std::min(log_.size() - log_begin_, limits_.log_bytes);
  batch.set_log(log_.data() + log_begin_, log);
  log_begin_ += log;
  if (log_begin_ == log_.size() || log_begin_ > (size_t{1} << 20)) {
    log_.erase(0, log_begin_);
    log_begin_ = 0;
  }
  size_t bytes = log;
  while (!rows_.empty()) {
    Row& row = rows_.front();
    if (!HasPlaceFor(row, batch) || (bytes > 0 && bytes + row.bytes > limits_.message_bytes)) break;
    if (auto* point = std::get_if<v1::Point>(&row.value)) {
      *batch.add_points() = std::move(*point);
    } else if (auto* measurement = std::get_if<v1::Measurement>(&row.value)) {
      *batch.add_measurements() = std::move(*measurement);
    } else {
      *batch.add_artifacts() = std::move(std::get<v1::ArtifactChunk>(row.value));
    }
    bytes += row.bytes;
    row_bytes_ -= row.bytes;
    rows_.pop_front();
  }
  waiting_since_ = clock_.Monotonic();
  batches_.push_back(std::move(batch));
}

std::optional<v1::ReportRequest> Outbox::NextMessage(milliseconds timeout) {
  MutexLock lock(mutex_);
  const MonotonicTime deadline = clock_.Monotonic() + timeout;
  for (;;) {
    if (std::exchange(interrupted_, false)) return std::nullopt;
    const MonotonicTime now = clock_.Monotonic();
    const milliseconds wait = UntilReady(now);
    if (wait == milliseconds(0)) break;
    if (now >= deadline) return std::nullopt;
    changed_.wait_for(mutex_, std::min(wait, Until(deadline, now)));
  }
  const MonotonicTime now = clock_.Monotonic();
  v1::ReportRequest message;
  const bool flush = HasWaiting() && batches_.size() < limits_.unacknowledged &&
                     (IsBatchFull() || now >= waiting_since_ + limits_.flush_interval);
  if (cursor_ > last_ && flush) Seal();
  if (cursor_ <= last_) {
    message = batches_[static_cast<size_t>(cursor_ - first())];
    ++cursor_;
  }
  if (progress_dirty_ && now >= progress_sent_ + limits_.progress_interval) {
    *message.mutable_progress() = progress_;
    progress_dirty_ = false;
    progress_sent_ = now;
  }
  return message;
}

void Outbox::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

void Outbox::Restart() {
  MutexLock lock(mutex_);
  cursor_ = first();
  interrupted_ = false;
  changed_.notify_all();
}

void Outbox::OnResponse(int64_t acknowledged, int64_t next) {
  {
    MutexLock lock(mutex_);
    const int64_t before = first();
    while (!batches_.empty() && first() <= acknowledged) batches_.pop_front();
    cursor_ = std::max(cursor_, first());
    // Ordinary acknowledgements name the next batch too, while later ones are already on their way: only an answer that
    // brings no progress asks for a repeat, and answers to the same gap ask once.
    const MonotonicTime now = clock_.Monotonic();
    if (first() == before && next >= first() && next < cursor_ && now >= rewound_ + limits_.resend_interval) {
      cursor_ = next;
      rewound_ = now;
    }
    changed_.notify_all();
  }
  on_room_();
}

bool Outbox::WaitAcknowledged(milliseconds timeout) {
  MutexLock lock(mutex_);
  const MonotonicTime deadline = clock_.Monotonic() + timeout;
  while (!batches_.empty()) {
    const MonotonicTime now = clock_.Monotonic();
    if (now >= deadline) return false;
    changed_.wait_for(mutex_, Until(deadline, now));
  }
  return true;
}

bool Outbox::Rewind(int64_t next) {
  MutexLock lock(mutex_);
  if (next < first() || next > last_) return false;
  cursor_ = next;
  changed_.notify_all();
  return true;
}

int64_t Outbox::last_sequence() const {
  MutexLock lock(mutex_);
  return last_;
}

}  // namespace benchwire::agent
