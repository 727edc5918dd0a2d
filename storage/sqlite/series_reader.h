// Series of attempts, read. Belongs to a reading connection's thread; the calls see its transaction's state.
#ifndef BENCHWIRE_STORAGE_SQLITE_SERIES_READER_H_
#define BENCHWIRE_STORAGE_SQLITE_SERIES_READER_H_

#include <string>
#include <tuple>
#include <vector>

#include "storage/series/buckets.h"
#include "storage/series/codec.h"
#include "storage/sqlite/statement.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

class SqliteSeriesReader {
 public:
  explicit SqliteSeriesReader(soci::session& session);

  absl::StatusOr<std::vector<v1::Series>> List(const AttemptId& id);
  absl::StatusOr<SeriesPoints> Read(const SeriesQuery& query);

 private:
  // A block that has steps in a range.
  struct Block {
    int64_t ordinal = 0;
    int64_t place = 0;  // Of its first point.
    int64_t least_step = 0, largest_step = 0;
    Summary summary;
  };
  // Points in memory, and the place of the first.
  struct Loose {
    std::vector<StepValue> points;
    int64_t place = 0;
  };

  absl::StatusOr<v1::Series> Get(const SeriesQuery& query);
  absl::StatusOr<std::vector<StepValue>> ReadAll(const SeriesQuery& query, const v1::Series& series);
  absl::StatusOr<std::vector<StepValue>> ReadBuckets(const SeriesQuery& query);

  // Each appends to `out`, in the order reported, those with a step in the range.
  absl::Status ReadOld(const SeriesQuery& query, std::vector<StepValue>& out);
  absl::Status ReadBlock(const SeriesQuery& query, int64_t ordinal, std::vector<StepValue>& out);
  absl::Status ReadFresh(const SeriesQuery& query, std::vector<StepValue>& out);
  // The blocks with steps in the range, their places counted from `place`.
  absl::StatusOr<std::vector<Block>> ListBlocks(const SeriesQuery& query, int64_t place);

  BlockCodec codec_;
  Query<std::tuple<Bytes>, std::string, int64_t> list_series_;
  Query<std::tuple<Bytes>, std::string, int64_t, int64_t> get_series_;
  Query<std::tuple<Bytes>, std::string, int64_t, int64_t, int64_t, int64_t> read_old_;
  Query<std::tuple<int64_t, int64_t, int64_t, int64_t, Bytes>, std::string, int64_t, int64_t, int64_t, int64_t>
      list_blocks_;
  Query<std::tuple<Bytes>, std::string, int64_t, int64_t, int64_t> read_block_;
  Query<std::tuple<Bytes>, std::string, int64_t> read_fresh_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_SERIES_READER_H_
