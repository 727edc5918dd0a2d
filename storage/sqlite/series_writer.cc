#include "storage/sqlite/series_writer.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "storage/series/buckets.h"
#include "storage/series/fresh_points.h"

namespace benchwire::storage {
namespace {

// Fresh points are moved into blocks when there are this many, or this many for each series, or this many rows: seldom
// enough that little is written twice, often enough that readers find little that is not in blocks.
constexpr int64_t kFreshPoints = 8'192;
constexpr int64_t kFreshPointsOfASeries = 64;
constexpr int64_t kFreshRows = 256;
constexpr size_t kMaxLive = 256;  // Attempts remembered; the longest unused is forgotten.

}  // namespace

SqliteSeriesWriter::SqliteSeriesWriter(soci::session& session, const TelemetryLimits& limits)
    : limits_(limits),
      list_keys_(session, "SELECT key, number FROM series WHERE job = :job AND attempt = :attempt"),
      count_fresh_(
          session,
          "SELECT COUNT(*), COALESCE(SUM(points), 0) FROM fresh_points WHERE job = :job AND attempt = :attempt"),
      add_series_(session,
                  "INSERT INTO series (job, attempt, number, key, resource) VALUES (:job, :attempt, :number, :key, "
                  ":resource)"),
      get_series_(session, "SELECT resource FROM series WHERE job = :job AND attempt = :attempt AND number = :number"),
      set_series_(session,
                  "UPDATE series SET resource = :resource WHERE job = :job AND attempt = :attempt AND number = "
                  ":number"),
      add_fresh_(session,
                 "INSERT INTO fresh_points (job, attempt, sequence, points, data) VALUES (:job, :attempt, :sequence, "
                 ":points, :data)"),
      read_fresh_(session, "SELECT data FROM fresh_points WHERE job = :job AND attempt = :attempt ORDER BY sequence"),
      delete_fresh_(session, "DELETE FROM fresh_points WHERE job = :job AND attempt = :attempt"),
      last_block_(session,
                  "SELECT ordinal, points, data FROM blocks WHERE job = :job AND attempt = :attempt AND series = "
                  ":series ORDER BY ordinal DESC LIMIT 1"),
      put_block_(session,
                 "INSERT INTO blocks (job, attempt, series, ordinal, points, least_step, largest_step, summary, data) "
                 "VALUES (:job, :attempt, :series, :ordinal, :points, :least, :largest, :summary, :data) "
                 "ON CONFLICT (job, attempt, series, ordinal) DO UPDATE SET points = excluded.points, "
                 "least_step = excluded.least_step, largest_step = excluded.largest_step, "
                 "summary = excluded.summary, data = excluded.data") {}

absl::Status SqliteSeriesWriter::Append(const TelemetryBatch& batch, TelemetryCursor& cursor) {
  if (batch.points.empty()) return absl::OkStatus();
  const AttemptId& id = batch.attempt;
  ASSIGN_OR_RETURN(Live* const live, FindOrLoad(id));
  std::string row;
  int64_t stored = 0;
  for (const PointGroup& group : batch.points) {
    ASSIGN_OR_RETURN(const int64_t number, NumberOf(id, *live, group));
    const auto room = static_cast<size_t>(std::max<int64_t>(limits_.points - cursor.points, 0));
    const size_t taken = number == 0 ? 0 : std::min(group.points.size(), room);
    if (taken > 0) PutFresh(number, std::span(group.points).first(taken), row);
    stored += static_cast<int64_t>(taken);
    cursor.points += static_cast<int64_t>(taken);
    cursor.dropped_points += static_cast<int64_t>(group.points.size() - taken);
  }
  if (stored == 0) return absl::OkStatus();
  RETURN_IF_ERROR(add_fresh_.Execute(id.job, id.number, batch.sequence, stored, Bytes{std::move(row)}).status());
  live->fresh_rows += 1;
  live->fresh_points += stored;
  const auto series = static_cast<int64_t>(live->numbers.size());
  const bool enough = live->fresh_points >= std::max(kFreshPoints, kFreshPointsOfASeries * series);
  return enough || live->fresh_rows >= kFreshRows ? Compact(id, *live) : absl::OkStatus();
}

absl::Status SqliteSeriesWriter::End(const AttemptId& attempt) {
  ASSIGN_OR_RETURN(Live* const live, FindOrLoad(attempt));
  if (live->fresh_rows > 0) RETURN_IF_ERROR(Compact(attempt, *live));
  Forget(attempt);
  return absl::OkStatus();
}

absl::StatusOr<SqliteSeriesWriter::Live*> SqliteSeriesWriter::FindOrLoad(const AttemptId& id) {
  auto found = live_.find(id);
  if (found == live_.end()) {
    if (live_.size() >= kMaxLive) {
      live_.erase(std::min_element(live_.begin(), live_.end(),
                                   [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    Live live;
    RETURN_IF_ERROR(list_keys_.ForEach(id.job, id.number, [&](const std::string& key, int64_t number) {
      live.numbers[key] = number;
      return absl::OkStatus();
    }));
    RETURN_IF_ERROR(count_fresh_.ForEach(id.job, id.number, [&](int64_t rows, int64_t points) {
      live.fresh_rows = rows;
      live.fresh_points = points;
      return absl::OkStatus();
    }));
    found = live_.emplace(id, std::move(live)).first;
  }
  found->second.used = ++calls_;
  return &found->second;
}

absl::StatusOr<int64_t> SqliteSeriesWriter::NumberOf(const AttemptId& id, Live& live, const PointGroup& group) {
  const auto found = live.numbers.find(group.key);
  if (found != live.numbers.end()) return found->second;
  const int64_t number = static_cast<int64_t>(live.numbers.size()) + 1;
  if (number > limits_.series) return 0;
  v1::Series series;
  series.set_name(SeriesName({id, number}));
  series.set_metric(group.metric);
  *series.mutable_labels() = group.labels;
  RETURN_IF_ERROR(
      add_series_.Execute(id.job, id.number, number, group.key, Bytes{series.SerializeAsString()}).status());
  live.numbers.emplace(group.key, number);
  return number;
}

absl::Status SqliteSeriesWriter::Compact(const AttemptId& id, Live& live) {
  std::map<int64_t, std::vector<StepValue>> gathered;
  RETURN_IF_ERROR(read_fresh_.ForEach(id.job, id.number, [&](const Bytes& row) {
    const bool good = ForEachFresh(row.value, 0, [&](int64_t series, std::vector<StepValue> points) {
      std::vector<StepValue>& all = gathered[series];
      all.insert(all.end(), points.begin(), points.end());
    });
    return good ? absl::OkStatus() : BadStoredMessage("points of a batch");
  }));
  for (auto& [series, points] : gathered) RETURN_IF_ERROR(AppendToBlocks(id, series, std::move(points)));
  RETURN_IF_ERROR(delete_fresh_.Execute(id.job, id.number).status());
  live.fresh_rows = live.fresh_points = 0;
  return absl::OkStatus();
}

absl::Status SqliteSeriesWriter::AppendToBlocks(const AttemptId& id, int64_t series, std::vector<StepValue> points) {
  RETURN_IF_ERROR(Count(id, series, points));
  int64_t ordinal = 1;
  std::vector<StepValue> all;  // With those of the last block, where that is not full.
  RETURN_IF_ERROR(last_block_.ForEach(
      id.job, id.number, series, [&](int64_t last, int64_t count, const Bytes& data) -> absl::Status {
        const bool full = count >= static_cast<int64_t>(kBlockPoints);
        ordinal = full ? last + 1 : last;
        return full || codec_.Decode(data.value, all) ? absl::OkStatus() : BadStoredMessage("block of points");
      }));
  all.insert(all.end(), points.begin(), points.end());
  for (std::span<const StepValue> rest = all; !rest.empty();) {
    const size_t size = std::min(rest.size(), kBlockPoints);
    RETURN_IF_ERROR(PutBlock(id, series, ordinal++, rest.first(size)));
    rest = rest.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status SqliteSeriesWriter::PutBlock(const AttemptId& id, int64_t series, int64_t ordinal,
                                          std::span<const StepValue> points) {
  const Summary summary = Summarise(points);
  return put_block_
      .Execute(id.job, id.number, series, ordinal, summary.count, summary.first.point.step, summary.last.point.step,
               Bytes{EncodeSummary(summary)}, Bytes{codec_.Encode(points)})
      .status();
}

absl::Status SqliteSeriesWriter::Count(const AttemptId& id, int64_t series, std::span<const StepValue> points) {
  v1::Series resource;
  RETURN_IF_ERROR(get_series_.ForEach(id.job, id.number, series, [&](const Bytes& stored) {
    return resource.ParseFromString(stored.value) ? absl::OkStatus() : BadStoredMessage("series");
  }));
  CountPoints(points, resource);
  return set_series_.Execute(Bytes{resource.SerializeAsString()}, id.job, id.number, series).status();
}

}  // namespace benchwire::storage
