#include "storage/sqlite/telemetry_store.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "storage/sqlite/artifact_tables.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/series_reader.h"
#include "storage/sqlite/series_writer.h"

namespace benchwire::storage {
namespace {

constexpr int kTelemetryReaders = 2;
constexpr int64_t kMaxLogChunk = 1 << 20;  // No stored chunk is larger.

}  // namespace

// What a reading connection does.
class SqliteTelemetryReader {
 public:
  explicit SqliteTelemetryReader(soci::session& session)
      : get_cursor_(session,
                    "SELECT last_sequence, log_bytes, points, dropped_points FROM cursors WHERE job = :job AND attempt "
                    "= :attempt"),
        read_log_(session,
                  "SELECT first_byte, data FROM log_chunks WHERE job = :job AND attempt = :attempt AND first_byte >= "
                  "COALESCE("
                  "(SELECT MAX(first_byte) FROM log_chunks WHERE job = :job AND attempt = :attempt AND first_byte <= "
                  ":offset), 0) AND first_byte < :end ORDER BY first_byte"),
        series_(session),
        artifacts_(session) {}

  absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& id) {
    TelemetryCursor cursor;
    RETURN_IF_ERROR(
        get_cursor_.ForEach(id.job, id.number, [&](int64_t last, int64_t bytes, int64_t points, int64_t dropped) {
          cursor = {last, bytes, points, dropped};
          return absl::OkStatus();
        }));
    return cursor;
  }

  absl::StatusOr<std::string> ReadLog(const AttemptId& id, int64_t offset, int64_t limit) {
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

  SqliteSeriesReader& series() { return series_; }
  SqliteArtifactReader& artifacts() { return artifacts_; }

 private:
  Query<std::tuple<int64_t, int64_t, int64_t, int64_t>, std::string, int64_t> get_cursor_;
  Query<std::tuple<int64_t, Bytes>, std::string, int64_t, int64_t, int64_t> read_log_;
  SqliteSeriesReader series_;
  SqliteArtifactReader artifacts_;
};

// What the writing connection does.
class SqliteTelemetryWriter {
 public:
  SqliteTelemetryWriter(soci::session& session, ContentFiles& files, const TelemetryLimits& limits)
      : limits_(limits),
        get_cursor_(session,
                    "SELECT last_sequence, log_bytes, points, dropped_points FROM cursors WHERE job = :job AND attempt "
                    "= :attempt"),
        put_cursor_(session,
                    "INSERT INTO cursors (job, attempt, last_sequence, log_bytes, points, dropped_points) "
                    "VALUES (:job, :attempt, :last, :bytes, :points, :dropped) "
                    "ON CONFLICT (job, attempt) DO UPDATE SET last_sequence = excluded.last_sequence, "
                    "log_bytes = excluded.log_bytes, points = excluded.points, "
                    "dropped_points = excluded.dropped_points"),
        add_log_(session,
                 "INSERT INTO log_chunks (job, attempt, first_byte, data) VALUES (:job, :attempt, :first, :data)"),
        series_(session, limits),
        artifacts_(session, files, limits) {}

  // `finished`: as SqliteArtifactWriter's.
  absl::StatusOr<TelemetryCursor> Append(const TelemetryBatch& batch, std::vector<int64_t>& finished) {
    const AttemptId& id = batch.attempt;
    TelemetryCursor cursor;
    RETURN_IF_ERROR(
        get_cursor_.ForEach(id.job, id.number, [&](int64_t last, int64_t bytes, int64_t points, int64_t dropped) {
          cursor = {last, bytes, points, dropped};
          return absl::OkStatus();
        }));
    if (batch.sequence != cursor.last_sequence + 1) return cursor;
    if (std::ssize(batch.log) > limits_.log_bytes - cursor.log_bytes) return LogFull(id, limits_);
    for (size_t done = 0; done < batch.log.size(); done += kMaxLogChunk) {
      RETURN_IF_ERROR(add_log_
                          .Execute(id.job, id.number, cursor.log_bytes + static_cast<int64_t>(done),
                                   Bytes{batch.log.substr(done, kMaxLogChunk)})
                          .status());
    }
    RETURN_IF_ERROR(series_.Append(batch, cursor));
    RETURN_IF_ERROR(artifacts_.Append(batch, finished));
    cursor.last_sequence = batch.sequence;
    cursor.log_bytes += static_cast<int64_t>(batch.log.size());
    RETURN_IF_ERROR(
        put_cursor_
            .Execute(id.job, id.number, cursor.last_sequence, cursor.log_bytes, cursor.points, cursor.dropped_points)
            .status());
    return cursor;
  }
  absl::Status End(const AttemptId& id, std::vector<int64_t>& finished) {
    RETURN_IF_ERROR(series_.End(id));
    return artifacts_.DropUploads(id, finished);
  }
  absl::Status Sweep() { return artifacts_.Sweep(); }
  // To be called where the transaction of an Append or an End was not committed.
  void Forget(const AttemptId& id) { series_.Forget(id); }

 private:
  const TelemetryLimits limits_;
  Query<std::tuple<int64_t, int64_t, int64_t, int64_t>, std::string, int64_t> get_cursor_;
  Command<std::string, int64_t, int64_t, int64_t, int64_t, int64_t> put_cursor_;
  Command<std::string, int64_t, int64_t, Bytes> add_log_;
  SqliteSeriesWriter series_;
  SqliteArtifactWriter artifacts_;
};

absl::StatusOr<std::unique_ptr<SqliteTelemetryStore>> SqliteTelemetryStore::Open(const std::string& path,
                                                                                 const std::string& artifacts_directory,
                                                                                 const TelemetryLimits& limits) {
  std::unique_ptr<SqliteTelemetryStore> store(new SqliteTelemetryStore);
  ASSIGN_OR_RETURN(store->files_, ContentFiles::Open(artifacts_directory));
  ASSIGN_OR_RETURN(store->connection_, Connection::Open(path, Access::kReadWrite));
  RETURN_IF_ERROR(store->connection_->Migrate(TelemetryMigrations()));
  store->tables_ = std::make_unique<SqliteTelemetryWriter>(store->connection_->session(), *store->files_, limits);
  RETURN_IF_ERROR(store->tables_->Sweep());
  ASSIGN_OR_RETURN(store->readers_, ReaderPool<SqliteTelemetryReader>::Open(path, kTelemetryReaders));
  store->writer_ = std::make_unique<GroupCommit>(*store->connection_, [] {});
  return store;
}

SqliteTelemetryStore::~SqliteTelemetryStore() = default;

// One write on its way.
struct SqliteTelemetryStore::Work {
  TelemetryBatch batch;
  TelemetryCursor cursor;
  std::vector<int64_t> finished;  // Uploads whose files go with the commit.
  bool applied = false;
};

void SqliteTelemetryStore::AppendAsync(TelemetryBatch batch,
                                       std::function<void(absl::StatusOr<TelemetryCursor>)> done) {
  size_t bytes = batch.log.size();
  for (const PointGroup& group : batch.points) {
    bytes += sizeof(PointGroup) + group.key.size() + group.points.size() * sizeof(StepValue);
  }
  for (const v1::ArtifactChunk& chunk : batch.artifacts) bytes += chunk.SpaceUsedLong();
  auto work = std::make_shared<Work>();
  work->batch = std::move(batch);
  writer_->Add({[this, work]() -> absl::Status {
                  work->applied = true;
                  absl::StatusOr<TelemetryCursor> cursor = tables_->Append(work->batch, work->finished);
                  // At once: the next item may be of the same attempt.
                  if (!cursor.ok()) tables_->Forget(work->batch.attempt);
                  RETURN_IF_ERROR(cursor.status());
                  work->cursor = *cursor;
                  return absl::OkStatus();
                },
                [this, work, done = std::move(done)](const absl::Status& status) {
                  if (status.ok()) {
                    RemoveUploads(work->finished);
                    return done(work->cursor);
                  }
                  // Refused by the queue it was never applied, and this is not the writer's thread.
                  if (work->applied) tables_->Forget(work->batch.attempt);
                  done(status);
                },
                bytes});
}

void SqliteTelemetryStore::EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) {
  auto work = std::make_shared<Work>();
  work->batch.attempt = attempt;
  writer_->Add({[this, work] {
                  work->applied = true;
                  return tables_->End(work->batch.attempt, work->finished);
                },
                [this, work, done = std::move(done)](const absl::Status& status) {
                  if (status.ok()) RemoveUploads(work->finished);
                  if (!status.ok() && work->applied) tables_->Forget(work->batch.attempt);
                  done(status);
                }});
}

void SqliteTelemetryStore::RemoveUploads(const std::vector<int64_t>& uploads) {
  for (const int64_t upload : uploads) files_->RemoveUpload(upload);
}

absl::StatusOr<TelemetryCursor> SqliteTelemetryStore::GetCursor(const AttemptId& attempt) const {
  return Read<TelemetryCursor>([&](SqliteTelemetryReader& tables) { return tables.GetCursor(attempt); });
}

absl::StatusOr<std::string> SqliteTelemetryStore::ReadLog(const AttemptId& attempt, int64_t offset,
                                                          int64_t limit) const {
  return Read<std::string>([&](SqliteTelemetryReader& tables) { return tables.ReadLog(attempt, offset, limit); });
}

absl::StatusOr<std::vector<v1::Series>> SqliteTelemetryStore::ListSeries(const AttemptId& attempt) const {
  return Read<std::vector<v1::Series>>([&](SqliteTelemetryReader& tables) { return tables.series().List(attempt); });
}

absl::StatusOr<SeriesPoints> SqliteTelemetryStore::ReadSeries(const SeriesQuery& query) const {
  return Read<SeriesPoints>([&](SqliteTelemetryReader& tables) { return tables.series().Read(query); });
}

absl::StatusOr<std::vector<v1::Artifact>> SqliteTelemetryStore::ListArtifacts(const AttemptId& attempt) const {
  return Read<std::vector<v1::Artifact>>(
      [&](SqliteTelemetryReader& tables) { return tables.artifacts().List(attempt); });
}

absl::StatusOr<v1::ArtifactData> SqliteTelemetryStore::ReadArtifact(const ArtifactId& id, int64_t offset,
                                                                    int64_t limit) const {
  v1::ArtifactData out;
  ASSIGN_OR_RETURN(*out.mutable_artifact(),
                   Read<v1::Artifact>([&](SqliteTelemetryReader& tables) { return tables.artifacts().Get(id); }));
  const int64_t size = out.artifact().size_bytes();
  const int64_t wanted = std::clamp<int64_t>(size - offset, 0, limit);
  ASSIGN_OR_RETURN(*out.mutable_data(), files_->Read(out.artifact().sha256(), offset, wanted));
  if (std::ssize(out.data()) < wanted) {
    return MakeError(absl::StatusCode::kDataLoss, "CONTENT_LOST", ArtifactName(id) + " lacks bytes that were stored");
  }
  return out;
}

template <typename T, typename Function>
absl::StatusOr<T> SqliteTelemetryStore::Read(const Function& function) const {
  T out;
  RETURN_IF_ERROR(readers_->Run([&](SqliteTelemetryReader& tables) -> absl::Status {
    ASSIGN_OR_RETURN(out, function(tables));
    return absl::OkStatus();
  }));
  return out;
}

}  // namespace benchwire::storage
