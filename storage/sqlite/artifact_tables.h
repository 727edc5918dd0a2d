// Rows of artifacts. The writer also puts the bytes into files, so that a chunk that is acknowledged is on disk; a
// crash in between leaves a file without a row, which is removed at the next start.
#ifndef BENCHWIRE_STORAGE_SQLITE_ARTIFACT_TABLES_H_
#define BENCHWIRE_STORAGE_SQLITE_ARTIFACT_TABLES_H_

#include <benchwire/v1/agent_service.pb.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "server/base/sha256.h"
#include "storage/artifacts/content_files.h"
#include "storage/sqlite/statement.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

// Belongs to a reading connection's thread.
class SqliteArtifactReader {
 public:
  explicit SqliteArtifactReader(soci::session& session);

  absl::StatusOr<std::vector<v1::Artifact>> List(const AttemptId& id);
  // NOT_FOUND.
  absl::StatusOr<v1::Artifact> Get(const ArtifactId& id);

 private:
  Query<std::tuple<Bytes>, std::string, int64_t> list_;
  Query<std::tuple<Bytes>, std::string, int64_t, int64_t> get_;
};

// Belongs to the writer's thread.
class SqliteArtifactWriter {
 public:
  SqliteArtifactWriter(soci::session& session, ContentFiles& files, const TelemetryLimits& limits);

  // Stores the chunks of a batch. `finished` gets the uploads whose partial files are to be removed once the
  // transaction is committed. INVALID_ARGUMENT/BAD_FIELD: a chunk does not continue what is there, or its end does not
  // fit its bytes. RESOURCE_EXHAUSTED/ARTIFACTS_FULL, RESOURCE_EXHAUSTED/DISK_FULL.
  absl::Status Append(const TelemetryBatch& batch, std::vector<int64_t>& finished);
  // Forgets the uploads of an attempt that will get no more chunks, likewise.
  absl::Status DropUploads(const AttemptId& id, std::vector<int64_t>& finished);
  // Removes files without a row. Before the first write.
  absl::Status Sweep();

 private:
  struct Upload {
    int64_t id = 0;
    std::string media_type;
    int64_t bytes = 0;
  };
  // The hash of the first bytes of an upload.
  struct Hashed {
    Sha256Stream hash;
    int64_t bytes = 0;
  };

  absl::StatusOr<Upload> FindOrAdd(const AttemptId& id, const v1::ArtifactChunk& chunk);
  absl::Status CheckRoom(const AttemptId& id, const v1::ArtifactChunk& chunk);
  absl::Status AddChunk(const AttemptId& id, const v1::ArtifactChunk& chunk, std::vector<int64_t>& finished);
  absl::Status Finish(const AttemptId& id, const v1::ArtifactChunk& chunk, const Upload& upload);
  // The hash of `upload.bytes` bytes, from memory or from the file.
  absl::StatusOr<Sha256Stream*> HashOf(const Upload& upload);

  ContentFiles& files_;
  const TelemetryLimits limits_;
  std::map<int64_t, Hashed> hashes_;  // By upload.

  Query<std::tuple<int64_t, std::string, int64_t>, std::string, int64_t, std::string> find_upload_;
  Command<std::string, int64_t, std::string, std::string> add_upload_;
  Command<int64_t, int64_t> set_bytes_;
  Command<int64_t> delete_upload_;
  Query<std::tuple<int64_t>, std::string, int64_t> list_uploads_;
  Query<std::tuple<int64_t, int64_t>, std::string, int64_t> sum_;
  Query<std::tuple<int64_t>, std::string, int64_t> last_number_;
  Query<std::tuple<int64_t>, std::string, int64_t, std::string> find_path_;
  Command<std::string, int64_t, int64_t, std::string, std::string, int64_t, Bytes> add_artifact_;
  Query<std::tuple<int64_t>, int64_t> upload_exists_;
  Query<std::tuple<int64_t>, std::string> content_exists_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_ARTIFACT_TABLES_H_
