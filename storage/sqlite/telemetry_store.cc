#include "storage/sqlite/telemetry_store.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/base/status.h"
#include "storage/sqlite/schema.h"

namespace benchwire::storage {
namespace {

constexpr int kTelemetryReaders = 2;
constexpr int64_t kMaxLogChunk = 1 << 20;  // No stored chunk is larger.

// Metric and labels as one key. Neither holds control characters, so the separators are free.
std::string SeriesKey(const v1::Point& point) {
  std::map<std::string, std::string> sorted(point.labels().begin(), point.labels().end());
  std::string key = point.metric();
  for (const auto& [name, value] : sorted) key += '\x1e' + name + '\x1f' + value;
  return key;
}

}  // namespace

class SqliteTelemetryTables {
 public:
  explicit SqliteTelemetryTables(soci::session& session)
      : get_cursor_(session, "SELECT last_sequence, log_bytes FROM cursors WHERE job = :job AND attempt = :attempt"),
        put_cursor_(
            session,
            "INSERT INTO cursors (job, attempt, last_sequence, log_bytes) VALUES (:job, :attempt, :last, :bytes) "
            "ON CONFLICT (job, attempt) DO UPDATE SET last_sequence = excluded.last_sequence, "
            "log_bytes = excluded.log_bytes"),
        add_log_(session,
                 "INSERT INTO log_chunks (job, attempt, first_byte, data) VALUES (:job, :attempt, :first, :data)"),
        read_log_(session,
                  "SELECT first_byte, data FROM log_chunks WHERE job = :job AND attempt = :attempt AND first_byte >= "
                  "COALESCE("
                  "(SELECT MAX(first_byte) FROM log_chunks WHERE job = :job AND attempt = :attempt AND first_byte <= "
                  ":offset), 0) AND first_byte < :end ORDER BY first_byte"),
        find_series_(session,
                     "SELECT number, resource FROM series WHERE job = :job AND attempt = :attempt AND key = :key"),
        count_series_(session, "SELECT COUNT(*) FROM series WHERE job = :job AND attempt = :attempt"),
        put_series_(session,
                    "INSERT INTO series (job, attempt, number, key, resource) VALUES (:job, :attempt, :number, :key, "
                    ":resource) ON CONFLICT (job, attempt, number) DO UPDATE SET resource = excluded.resource"),
        list_series_(session, "SELECT resource FROM series WHERE job = :job AND attempt = :attempt ORDER BY number"),
        add_block_(session,
                   "INSERT INTO point_blocks (job, attempt, series, sequence, least_step, largest_step, points) VALUES "
                   "(:job, :attempt, :series, :sequence, :least, :largest, :points)"),
        read_blocks_(session,
                     "SELECT points FROM point_blocks WHERE job = :job AND attempt = :attempt AND series = :series "
                     "AND largest_step >= :first AND least_step <= :last ORDER BY sequence") {}

  absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& id) const {
    TelemetryCursor cursor;
    RETURN_IF_ERROR(get_cursor_.ForEach(id.job, id.number, [&](int64_t last, int64_t bytes) {
      cursor = {last, bytes};
      return absl::OkStatus();
    }));
    return cursor;
  }

  absl::StatusOr<TelemetryCursor> Append(const TelemetryBatch& batch) {
    const AttemptId& id = batch.attempt;
    ASSIGN_OR_RETURN(TelemetryCursor cursor, GetCursor(id));
    if (batch.sequence != cursor.last_sequence + 1) return cursor;
    for (size_t done = 0; done < batch.log.size(); done += kMaxLogChunk) {
      RETURN_IF_ERROR(add_log_
                          .Execute(id.job, id.number, cursor.log_bytes + static_cast<int64_t>(done),
                                   Bytes{batch.log.substr(done, kMaxLogChunk)})
                          .status());
    }
    RETURN_IF_ERROR(AppendPoints(batch));
    cursor.last_sequence = batch.sequence;
    cursor.log_bytes += static_cast<int64_t>(batch.log.size());
    RETURN_IF_ERROR(put_cursor_.Execute(id.job, id.number, cursor.last_sequence, cursor.log_bytes).status());
    return cursor;
  }

  absl::StatusOr<std::string> ReadLog(const AttemptId& id, int64_t offset, int64_t limit) const {
    std::string out;
    const int64_t end = limit > INT64_MAX - offset ? INT64_MAX : offset + limit;
    RETURN_IF_ERROR(read_log_.ForEach(id.job, id.number, offset, end, [&](int64_t first, const Bytes& chunk) {
      const int64_t from = std::max<int64_t>(offset - first, 0);
      const int64_t to = std::min<int64_t>(static_cast<int64_t>(chunk.value.size()), end - first);
      if (from < to) out.append(chunk.value, static_cast<size_t>(from), static_cast<size_t>(to - from));
      return absl::OkStatus();
    }));
    return out;
  }

  absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& id) const {
    std::vector<v1::Series> out;
    RETURN_IF_ERROR(list_series_.ForEach(id.job, id.number, [&](const Bytes& resource) -> absl::Status {
      if (!out.emplace_back().ParseFromString(resource.value)) return BadStoredMessage("series");
      return absl::OkStatus();
    }));
    return out;
  }

  absl::StatusOr<std::vector<v1::SeriesPoint>> ReadSeries(const SeriesQuery& query) const {
    std::vector<v1::SeriesPoint> out;
    RETURN_IF_ERROR(read_blocks_.ForEach(query.attempt.job, query.attempt.number, query.series, query.first_step,
                                         query.last_step, [&](const Bytes& points) -> absl::Status {
                                           v1::SeriesData block;
                                           if (!block.ParseFromString(points.value)) return BadStoredMessage("points");
                                           for (const v1::SeriesPoint& point : block.points()) {
                                             if (point.step() >= query.first_step && point.step() <= query.last_step) {
                                               out.push_back(point);
                                             }
                                           }
                                           return absl::OkStatus();
                                         }));
    return out;
  }

 private:
  absl::Status AppendPoints(const TelemetryBatch& batch) {
    std::map<std::string, std::vector<const v1::Point*>> by_series;
    for (const v1::Point& point : batch.points) by_series[SeriesKey(point)].push_back(&point);
    for (const auto& [key, points] : by_series) RETURN_IF_ERROR(AppendToSeries(batch, key, points));
    return absl::OkStatus();
  }

  absl::Status AppendToSeries(const TelemetryBatch& batch, const std::string& key,
                              const std::vector<const v1::Point*>& points) {
    const AttemptId& id = batch.attempt;
    ASSIGN_OR_RETURN(auto found, FindOrMakeSeries(id, key, *points.front()));
    auto& [number, series] = found;
    v1::SeriesData block;
    int64_t least = INT64_MAX, largest = 0;
    for (const v1::Point* point : points) {
      v1::SeriesPoint* stored = block.add_points();
      stored->set_step(point->step());
      stored->set_value(point->value());
      least = std::min(least, point->step());
      largest = std::max(largest, point->step());
    }
    series.set_point_count(series.point_count() + block.points_size());
    RETURN_IF_ERROR(put_series_.Execute(id.job, id.number, number, key, Bytes{series.SerializeAsString()}).status());
    return add_block_
        .Execute(id.job, id.number, number, batch.sequence, least, largest, Bytes{block.SerializeAsString()})
        .status();
  }

  absl::StatusOr<std::pair<int64_t, v1::Series>> FindOrMakeSeries(const AttemptId& id, const std::string& key,
                                                                  const v1::Point& point) {
    std::pair<int64_t, v1::Series> found;
    RETURN_IF_ERROR(
        find_series_.ForEach(id.job, id.number, key, [&](int64_t number, const Bytes& resource) -> absl::Status {
          found.first = number;
          if (!found.second.ParseFromString(resource.value)) return BadStoredMessage("series");
          return absl::OkStatus();
        }));
    if (found.first != 0) return found;
    RETURN_IF_ERROR(count_series_.ForEach(id.job, id.number, [&](int64_t count) {
      found.first = count + 1;
      return absl::OkStatus();
    }));
    found.second.set_name(AttemptName(id) + "/series/" + std::to_string(found.first));
    found.second.set_metric(point.metric());
    *found.second.mutable_labels() = point.labels();
    return found;
  }

  mutable Query<std::tuple<int64_t, int64_t>, std::string, int64_t> get_cursor_;
  Command<std::string, int64_t, int64_t, int64_t> put_cursor_;
  Command<std::string, int64_t, int64_t, Bytes> add_log_;
  mutable Query<std::tuple<int64_t, Bytes>, std::string, int64_t, int64_t, int64_t> read_log_;
  mutable Query<std::tuple<int64_t, Bytes>, std::string, int64_t, std::string> find_series_;
  mutable Query<std::tuple<int64_t>, std::string, int64_t> count_series_;
  Command<std::string, int64_t, int64_t, std::string, Bytes> put_series_;
  mutable Query<std::tuple<Bytes>, std::string, int64_t> list_series_;
  Command<std::string, int64_t, int64_t, int64_t, int64_t, int64_t, Bytes> add_block_;
  mutable Query<std::tuple<Bytes>, std::string, int64_t, int64_t, int64_t, int64_t> read_blocks_;
};

absl::StatusOr<std::unique_ptr<SqliteTelemetryStore>> SqliteTelemetryStore::Open(const std::string& path) {
  std::unique_ptr<SqliteTelemetryStore> store(new SqliteTelemetryStore);
  ASSIGN_OR_RETURN(store->connection_, Connection::Open(path, Access::kReadWrite));
  RETURN_IF_ERROR(store->connection_->Migrate(TelemetryMigrations()));
  store->tables_ = std::make_unique<SqliteTelemetryTables>(store->connection_->session());
  ASSIGN_OR_RETURN(store->readers_, ReaderPool<SqliteTelemetryTables>::Open(path, kTelemetryReaders));
  store->writer_ = std::make_unique<GroupCommit>(*store->connection_, [] {});
  return store;
}

SqliteTelemetryStore::~SqliteTelemetryStore() = default;

void SqliteTelemetryStore::AppendAsync(TelemetryBatch batch,
                                       std::function<void(absl::StatusOr<TelemetryCursor>)> done) {
  struct Work {
    TelemetryBatch batch;
    TelemetryCursor cursor;
  };
  size_t bytes = batch.log.size();
  for (const v1::Point& point : batch.points) bytes += point.SpaceUsedLong();
  auto work = std::make_shared<Work>(Work{std::move(batch), {}});
  writer_->Add({[this, work]() -> absl::Status {
                  ASSIGN_OR_RETURN(work->cursor, tables_->Append(work->batch));
                  return absl::OkStatus();
                },
                [work, done = std::move(done)](const absl::Status& status) {
                  if (status.ok()) {
                    done(work->cursor);
                  } else {
                    done(status);
                  }
                },
                bytes});
}

absl::StatusOr<TelemetryCursor> SqliteTelemetryStore::GetCursor(const AttemptId& attempt) const {
  TelemetryCursor out;
  RETURN_IF_ERROR(readers_->Run([&](const SqliteTelemetryTables& tables) -> absl::Status {
    ASSIGN_OR_RETURN(out, tables.GetCursor(attempt));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::string> SqliteTelemetryStore::ReadLog(const AttemptId& attempt, int64_t offset,
                                                          int64_t limit) const {
  std::string out;
  RETURN_IF_ERROR(readers_->Run([&](const SqliteTelemetryTables& tables) -> absl::Status {
    ASSIGN_OR_RETURN(out, tables.ReadLog(attempt, offset, limit));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::vector<v1::Series>> SqliteTelemetryStore::ListSeries(const AttemptId& attempt) const {
  std::vector<v1::Series> out;
  RETURN_IF_ERROR(readers_->Run([&](const SqliteTelemetryTables& tables) -> absl::Status {
    ASSIGN_OR_RETURN(out, tables.ListSeries(attempt));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<std::vector<v1::SeriesPoint>> SqliteTelemetryStore::ReadSeries(const SeriesQuery& query) const {
  std::vector<v1::SeriesPoint> out;
  RETURN_IF_ERROR(readers_->Run([&](const SqliteTelemetryTables& tables) -> absl::Status {
    ASSIGN_OR_RETURN(out, tables.ReadSeries(query));
    return absl::OkStatus();
  }));
  return out;
}

}  // namespace benchwire::storage
