#include "storage/sqlite/series_reader.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "storage/series/fresh_points.h"

namespace benchwire::storage {
namespace {

bool InRange(const SeriesQuery& query, int64_t step) { return step >= query.first_step && step <= query.last_step; }

// Keeps, of the points from `begin` on, those in the range.
void KeepRange(const SeriesQuery& query, size_t begin, std::vector<StepValue>& points) {
  const auto outside = [&](const StepValue& point) { return !InRange(query, point.step); };
  points.erase(std::remove_if(points.begin() + static_cast<std::ptrdiff_t>(begin), points.end(), outside),
               points.end());
}

bool IsTooMany(const std::vector<StepValue>& points) { return std::ssize(points) > TelemetryStore::kMaxPointsRead; }

}  // namespace

SqliteSeriesReader::SqliteSeriesReader(soci::session& session)
    : list_series_(session, "SELECT resource FROM series WHERE job = :job AND attempt = :attempt ORDER BY number"),
      get_series_(session, "SELECT resource FROM series WHERE job = :job AND attempt = :attempt AND number = :number"),
      read_old_(session,
                "SELECT points FROM point_blocks WHERE job = :job AND attempt = :attempt AND series = :series "
                "AND largest_step >= :first AND least_step <= :last ORDER BY sequence"),
      list_blocks_(session,
                   "SELECT ordinal, points, least_step, largest_step, summary FROM blocks WHERE job = :job AND attempt "
                   "= :attempt AND series = :series AND largest_step >= :first AND least_step <= :last "
                   "ORDER BY ordinal"),
      read_block_(session,
                  "SELECT data FROM blocks WHERE job = :job AND attempt = :attempt AND series = :series AND ordinal = "
                  ":ordinal"),
      read_fresh_(session, "SELECT data FROM fresh_points WHERE job = :job AND attempt = :attempt ORDER BY sequence") {}

absl::StatusOr<std::vector<v1::Series>> SqliteSeriesReader::List(const AttemptId& id) {
  std::vector<v1::Series> out;
  RETURN_IF_ERROR(list_series_.ForEach(id.job, id.number, [&](const Bytes& resource) {
    return out.emplace_back().ParseFromString(resource.value) ? absl::OkStatus() : BadStoredMessage("series");
  }));
  // The rows count what is in blocks.
  RETURN_IF_ERROR(read_fresh_.ForEach(id.job, id.number, [&](const Bytes& row) {
    bool known = true;
    const bool good = ForEachFresh(row.value, 0, [&](int64_t number, const std::vector<StepValue>& points) {
      known = known && number >= 1 && number <= std::ssize(out);
      if (known) CountPoints(points, out[static_cast<size_t>(number - 1)]);
    });
    return good && known ? absl::OkStatus() : BadStoredMessage("points of a batch");
  }));
  return out;
}

absl::StatusOr<v1::Series> SqliteSeriesReader::Get(const SeriesQuery& query) {
  const AttemptId& id = query.attempt;
  v1::Series series;
  bool found = false;
  RETURN_IF_ERROR(get_series_.ForEach(id.job, id.number, query.series, [&](const Bytes& resource) {
    found = true;
    return series.ParseFromString(resource.value) ? absl::OkStatus() : BadStoredMessage("series");
  }));
  if (!found) return NotFound(SeriesName({id, query.series}));
  std::vector<StepValue> fresh;
  RETURN_IF_ERROR(ReadFresh({id, query.series}, fresh));
  CountPoints(fresh, series);
  return series;
}

absl::StatusOr<SeriesPoints> SqliteSeriesReader::Read(const SeriesQuery& query) {
  SeriesPoints out;
  ASSIGN_OR_RETURN(out.series, Get(query));
  if (query.max_buckets > 0) {
    ASSIGN_OR_RETURN(out.points, ReadBuckets(query));
  } else {
    ASSIGN_OR_RETURN(out.points, ReadAll(query, out.series));
  }
  return out;
}

absl::StatusOr<std::vector<StepValue>> SqliteSeriesReader::ReadAll(const SeriesQuery& query, const v1::Series& series) {
  std::vector<StepValue> points;
  RETURN_IF_ERROR(ReadOld(query, points));
  ASSIGN_OR_RETURN(const std::vector<Block> blocks, ListBlocks(query, 0));
  for (const Block& block : blocks) {
    if (IsTooMany(points)) return TooManyPoints(series);
    RETURN_IF_ERROR(ReadBlock(query, block.ordinal, points));
  }
  RETURN_IF_ERROR(ReadFresh(query, points));
  if (IsTooMany(points)) return TooManyPoints(series);
  return InStepOrder(std::move(points), 0);
}

absl::StatusOr<std::vector<StepValue>> SqliteSeriesReader::ReadBuckets(const SeriesQuery& query) {
  std::vector<Loose> loose(1);
  RETURN_IF_ERROR(ReadOld(query, loose[0].points));
  ASSIGN_OR_RETURN(std::vector<Block> blocks, ListBlocks(query, std::ssize(loose[0].points)));
  const int64_t end = blocks.empty() ? std::ssize(loose[0].points) : blocks.back().place + blocks.back().summary.count;
  Loose& fresh = loose.emplace_back(Loose{{}, end});
  RETURN_IF_ERROR(ReadFresh(query, fresh.points));
  // Blocks that the range cuts are read, the others stand for themselves so far.
  std::vector<Block> whole;
  int64_t least = INT64_MAX, largest = -1;
  for (Block& block : blocks) {
    if (InRange(query, block.least_step) && InRange(query, block.largest_step)) {
      least = std::min(least, block.least_step);
      largest = std::max(largest, block.largest_step);
      whole.push_back(std::move(block));
    } else {
      RETURN_IF_ERROR(ReadBlock(query, block.ordinal, loose.emplace_back(Loose{{}, block.place}).points));
    }
  }
  for (const Loose& part : loose) {
    for (const StepValue& point : part.points) {
      least = std::min(least, point.step);
      largest = std::max(largest, point.step);
    }
  }
  if (largest < least) return std::vector<StepValue>();
  Buckets buckets(least, largest, query.max_buckets);
  std::vector<StepValue> points;
  for (const Block& block : whole) {
    if (buckets.InOneBucket(block.least_step, block.largest_step)) {
      buckets.Add(block.summary.Moved(block.place));
    } else {
      points.clear();
      RETURN_IF_ERROR(ReadBlock(query, block.ordinal, points));
      buckets.Add(points, block.place);
    }
  }
  for (const Loose& part : loose) buckets.Add(part.points, part.place);
  return buckets.Take();
}

absl::Status SqliteSeriesReader::ReadOld(const SeriesQuery& query, std::vector<StepValue>& out) {
  return read_old_.ForEach(query.attempt.job, query.attempt.number, query.series, query.first_step, query.last_step,
                           [&](const Bytes& stored) {
                             v1::SeriesData block;
                             if (!block.ParseFromString(stored.value)) return BadStoredMessage("points");
                             const size_t begin = out.size();
                             for (const auto& point : block.points()) out.push_back({point.step(), point.value()});
                             KeepRange(query, begin, out);
                             return absl::OkStatus();
                           });
}

absl::StatusOr<std::vector<SqliteSeriesReader::Block>> SqliteSeriesReader::ListBlocks(const SeriesQuery& query,
                                                                                      int64_t place) {
  std::vector<Block> out;
  RETURN_IF_ERROR(list_blocks_.ForEach(
      query.attempt.job, query.attempt.number, query.series, query.first_step, query.last_step,
      [&](int64_t ordinal, int64_t count, int64_t least, int64_t largest, const Bytes& summary) {
        Block& block = out.emplace_back(Block{ordinal, place, least, largest, {}});
        place += count;
        return DecodeSummary(summary.value, count, block.summary) ? absl::OkStatus()
                                                                  : BadStoredMessage("summary of a block");
      }));
  return out;
}

absl::Status SqliteSeriesReader::ReadBlock(const SeriesQuery& query, int64_t ordinal, std::vector<StepValue>& out) {
  return read_block_.ForEach(query.attempt.job, query.attempt.number, query.series, ordinal, [&](const Bytes& data) {
    const size_t begin = out.size();
    if (!codec_.Decode(data.value, out)) return BadStoredMessage("block of points");
    KeepRange(query, begin, out);
    return absl::OkStatus();
  });
}

absl::Status SqliteSeriesReader::ReadFresh(const SeriesQuery& query, std::vector<StepValue>& out) {
  return read_fresh_.ForEach(query.attempt.job, query.attempt.number, [&](const Bytes& row) {
    const bool good = ForEachFresh(row.value, query.series, [&](int64_t, const std::vector<StepValue>& points) {
      const size_t begin = out.size();
      out.insert(out.end(), points.begin(), points.end());
      KeepRange(query, begin, out);
    });
    return good ? absl::OkStatus() : BadStoredMessage("points of a batch");
  });
}

}  // namespace benchwire::storage
