// The telemetry store in one SQLite file `telemetry.db`, with a writer thread of its own, and a directory for the bytes
// of artifacts.
#ifndef BENCHWIRE_STORAGE_SQLITE_TELEMETRY_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_TELEMETRY_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "storage/artifacts/content_files.h"
#include "storage/sqlite/group_commit.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

class SqliteTelemetryReader;
class SqliteTelemetryWriter;

class SqliteTelemetryStore final : public TelemetryStore {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteTelemetryStore>> Open(const std::string& path,
                                                                    const std::string& artifacts_directory,
                                                                    const TelemetryLimits& limits = {});
  // Commits what is waiting.
  ~SqliteTelemetryStore() override;

  void AppendAsync(TelemetryBatch batch, std::function<void(absl::StatusOr<TelemetryCursor>)> done) override;
  void EndAttemptAsync(const AttemptId& attempt, std::function<void(const absl::Status&)> done) override;
  absl::StatusOr<TelemetryCursor> GetCursor(const AttemptId& attempt) const override;
  absl::StatusOr<std::string> ReadLog(const AttemptId& attempt, int64_t offset, int64_t limit) const override;
  absl::StatusOr<std::vector<v1::Series>> ListSeries(const AttemptId& attempt) const override;
  absl::StatusOr<SeriesPoints> ReadSeries(const SeriesQuery& query) const override;
  absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts(const AttemptId& attempt) const override;
  absl::StatusOr<v1::ArtifactData> ReadArtifact(const ArtifactId& id, int64_t offset, int64_t limit) const override;

 private:
  SqliteTelemetryStore() = default;

  struct Work;

  void RemoveUploads(const std::vector<int64_t>& uploads);
  // What function(tables), a StatusOr<T>, returns for a reading connection.
  template <typename T, typename Function>
  absl::StatusOr<T> Read(const Function& function) const;

  std::unique_ptr<ContentFiles> files_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<SqliteTelemetryWriter> tables_;
  std::unique_ptr<ReaderPool<SqliteTelemetryReader>> readers_;
  std::unique_ptr<GroupCommit> writer_;  // Last: its thread uses the others.
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_TELEMETRY_STORE_H_
