// Series of attempts, written: the points of a batch go into one row, and when enough rows have come all their points
// are moved into the blocks of their series, so that a series of a million points is a thousand rows, however small the
// batches were. Everything happens in the transaction of the batch. Belongs to the writer's thread.
#ifndef BENCHWIRE_STORAGE_SQLITE_SERIES_WRITER_H_
#define BENCHWIRE_STORAGE_SQLITE_SERIES_WRITER_H_

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "storage/series/codec.h"
#include "storage/sqlite/statement.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

class SqliteSeriesWriter {
 public:
  SqliteSeriesWriter(soci::session& session, const TelemetryLimits& limits);

  // Stores the points of a batch as far as the limits allow, and counts them in the cursor. After an error, and where
  // the transaction is not committed, Forget must be called.
  absl::Status Append(const TelemetryBatch& batch, TelemetryCursor& cursor);
  // The attempt gets no more points: all go into blocks.
  absl::Status End(const AttemptId& attempt);
  // Drops what is remembered of an attempt.
  void Forget(const AttemptId& attempt) { live_.erase(attempt); }

  // Points of a block; the last one of a series has fewer.
  static constexpr size_t kBlockPoints = 1'024;

 private:
  // What is remembered of an attempt that reports: what the database would answer.
  struct Live {
    std::unordered_map<std::string, int64_t> numbers;  // Of series, by key.
    int64_t fresh_rows = 0;
    int64_t fresh_points = 0;
    int64_t used = 0;  // When, in calls.
  };

  absl::StatusOr<Live*> FindOrLoad(const AttemptId& id);
  // The number of a series, a new one where there is room; 0 where there is none.
  absl::StatusOr<int64_t> NumberOf(const AttemptId& id, Live& live, const PointGroup& group);
  // Moves the fresh points of an attempt into blocks.
  absl::Status Compact(const AttemptId& id, Live& live);
  absl::Status AppendToBlocks(const AttemptId& id, int64_t series, std::vector<StepValue> points);
  absl::Status PutBlock(const AttemptId& id, int64_t series, int64_t ordinal, std::span<const StepValue> points);
  // Counts points that are in blocks now.
  absl::Status Count(const AttemptId& id, int64_t series, std::span<const StepValue> points);

  const TelemetryLimits limits_;
  BlockCodec codec_;
  std::map<AttemptId, Live> live_;
  int64_t calls_ = 0;

  Query<std::tuple<std::string, int64_t>, std::string, int64_t> list_keys_;
  Query<std::tuple<int64_t, int64_t>, std::string, int64_t> count_fresh_;
  Command<std::string, int64_t, int64_t, std::string, Bytes> add_series_;
  Query<std::tuple<Bytes>, std::string, int64_t, int64_t> get_series_;
  Command<Bytes, std::string, int64_t, int64_t> set_series_;
  Command<std::string, int64_t, int64_t, int64_t, Bytes> add_fresh_;
  Query<std::tuple<Bytes>, std::string, int64_t> read_fresh_;
  Command<std::string, int64_t> delete_fresh_;
  Query<std::tuple<int64_t, int64_t, Bytes>, std::string, int64_t, int64_t> last_block_;
  Command<std::string, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, Bytes, Bytes> put_block_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_SERIES_WRITER_H_
