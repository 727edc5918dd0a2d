#include "storage/sqlite/artifact_tables.h"

#include <utility>

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

// Keeps the last value a query gives.
auto Into(int64_t& out) {
  return [&out](int64_t value) {
    out = value;
    return absl::OkStatus();
  };
}

}  // namespace

SqliteArtifactReader::SqliteArtifactReader(soci::session& session)
    : list_(session, "SELECT resource FROM artifacts WHERE job = :job AND attempt = :attempt ORDER BY path"),
      get_(session, "SELECT resource FROM artifacts WHERE job = :job AND attempt = :attempt AND number = :number") {}

absl::StatusOr<std::vector<v1::Artifact>> SqliteArtifactReader::List(const AttemptId& id) {
  std::vector<v1::Artifact> out;
  RETURN_IF_ERROR(list_.ForEach(id.job, id.number, [&](const Bytes& resource) {
    return out.emplace_back().ParseFromString(resource.value) ? absl::OkStatus() : BadStoredMessage("artifact");
  }));
  return out;
}

absl::StatusOr<v1::Artifact> SqliteArtifactReader::Get(const ArtifactId& id) {
  v1::Artifact out;
  bool found = false;
  RETURN_IF_ERROR(get_.ForEach(id.attempt.job, id.attempt.number, id.number, [&](const Bytes& resource) {
    found = true;
    return out.ParseFromString(resource.value) ? absl::OkStatus() : BadStoredMessage("artifact");
  }));
  if (!found) return NotFound(ArtifactName(id));
  return out;
}

SqliteArtifactWriter::SqliteArtifactWriter(soci::session& session, ContentFiles& files, const TelemetryLimits& limits)
    : files_(files),
      limits_(limits),
      find_upload_(session,
                   "SELECT id, media_type, bytes FROM uploads WHERE job = :job AND attempt = :attempt AND path = "
                   ":path"),
      add_upload_(session,
                  "INSERT INTO uploads (job, attempt, path, media_type, bytes) VALUES (:job, :attempt, :path, :type, "
                  "0)"),
      set_bytes_(session, "UPDATE uploads SET bytes = :bytes WHERE id = :id"),
      delete_upload_(session, "DELETE FROM uploads WHERE id = :id"),
      list_uploads_(session, "SELECT id FROM uploads WHERE job = :job AND attempt = :attempt"),
      sum_(session,
           "SELECT (SELECT COUNT(*) FROM artifacts WHERE job = :job AND attempt = :attempt) + "
           "(SELECT COUNT(*) FROM uploads WHERE job = :job AND attempt = :attempt), "
           "(SELECT COALESCE(SUM(size), 0) FROM artifacts WHERE job = :job AND attempt = :attempt) + "
           "(SELECT COALESCE(SUM(bytes), 0) FROM uploads WHERE job = :job AND attempt = :attempt)"),
      last_number_(session, "SELECT COALESCE(MAX(number), 0) FROM artifacts WHERE job = :job AND attempt = :attempt"),
      find_path_(session, "SELECT number FROM artifacts WHERE job = :job AND attempt = :attempt AND path = :path"),
      add_artifact_(session,
                    "INSERT INTO artifacts (job, attempt, number, path, sha256, size, resource) VALUES (:job, "
                    ":attempt, :number, :path, :sha256, :size, :resource)"),
      upload_exists_(session, "SELECT COUNT(*) FROM uploads WHERE id = :id"),
      content_exists_(session, "SELECT COUNT(*) FROM artifacts WHERE sha256 = :sha256") {}

absl::Status SqliteArtifactWriter::Append(const TelemetryBatch& batch, std::vector<int64_t>& finished) {
  for (const v1::ArtifactChunk& chunk : batch.artifacts) {
    RETURN_IF_ERROR(AddChunk(batch.attempt, chunk, finished));
  }
  return absl::OkStatus();
}

absl::StatusOr<SqliteArtifactWriter::Upload> SqliteArtifactWriter::FindOrAdd(const AttemptId& id,
                                                                             const v1::ArtifactChunk& chunk) {
  const auto find = [&](Upload& upload) {
    return find_upload_.ForEach(id.job, id.number, chunk.path(),
                                [&](int64_t number, const std::string& media_type, int64_t bytes) {
                                  upload = {number, media_type, bytes};
                                  return absl::OkStatus();
                                });
  };
  Upload upload;
  RETURN_IF_ERROR(find(upload));
  if (upload.id != 0) return upload;
  int64_t done = 0;
  RETURN_IF_ERROR(find_path_.ForEach(id.job, id.number, chunk.path(), Into(done)));
  if (done != 0) return BadField("artifacts.path", chunk.path(), "a path that the attempt has not used before");
  RETURN_IF_ERROR(add_upload_.Execute(id.job, id.number, chunk.path(), chunk.media_type()).status());
  RETURN_IF_ERROR(find(upload));
  return upload;
}

absl::Status SqliteArtifactWriter::CheckRoom(const AttemptId& id, const v1::ArtifactChunk& chunk) {
  int64_t count = 0, bytes = 0;
  RETURN_IF_ERROR(sum_.ForEach(id.job, id.number, [&](int64_t all, int64_t size) {
    count = all;
    bytes = size;
    return absl::OkStatus();
  }));
  const bool room = count <= limits_.artifacts && bytes + std::ssize(chunk.data()) <= limits_.artifact_bytes;
  return room ? absl::OkStatus() : ArtifactsFull(id, limits_);
}

absl::Status SqliteArtifactWriter::AddChunk(const AttemptId& id, const v1::ArtifactChunk& chunk,
                                            std::vector<int64_t>& finished) {
  ASSIGN_OR_RETURN(Upload upload, FindOrAdd(id, chunk));
  if (chunk.offset() != upload.bytes) {
    return BadField("artifacts.offset", std::to_string(chunk.offset()),
                    std::to_string(upload.bytes) + ", the bytes that are there");
  }
  RETURN_IF_ERROR(CheckRoom(id, chunk));
  ASSIGN_OR_RETURN(Sha256Stream* const hash, HashOf(upload));
  RETURN_IF_ERROR(files_.Write(upload.id, upload.bytes, chunk.data()));
  hash->Add(chunk.data());
  upload.bytes += std::ssize(chunk.data());
  hashes_[upload.id].bytes = upload.bytes;
  if (!chunk.last()) return set_bytes_.Execute(upload.bytes, upload.id).status();
  RETURN_IF_ERROR(Finish(id, chunk, upload));
  finished.push_back(upload.id);
  hashes_.erase(upload.id);
  return absl::OkStatus();
}

absl::Status SqliteArtifactWriter::Finish(const AttemptId& id, const v1::ArtifactChunk& chunk, const Upload& upload) {
  const std::string sha256 = hashes_[upload.id].hash.Hex();
  if (chunk.size_bytes() != upload.bytes) {
    return BadField("artifacts.size_bytes", std::to_string(chunk.size_bytes()),
                    std::to_string(upload.bytes) + ", the bytes that came");
  }
  if (chunk.sha256() != sha256)
    return BadField("artifacts.sha256", chunk.sha256(), sha256 + ", that of the bytes that came");
  RETURN_IF_ERROR(files_.Keep(upload.id, sha256));
  int64_t number = 0;
  RETURN_IF_ERROR(last_number_.ForEach(id.job, id.number, Into(number)));
  v1::Artifact artifact;
  artifact.set_name(ArtifactName({id, ++number}));
  artifact.set_path(chunk.path());
  artifact.set_media_type(upload.media_type);
  artifact.set_size_bytes(upload.bytes);
  artifact.set_sha256(sha256);
  RETURN_IF_ERROR(
      add_artifact_
          .Execute(id.job, id.number, number, chunk.path(), sha256, upload.bytes, Bytes{artifact.SerializeAsString()})
          .status());
  return delete_upload_.Execute(upload.id).status();
}

absl::StatusOr<Sha256Stream*> SqliteArtifactWriter::HashOf(const Upload& upload) {
  Hashed& hashed = hashes_[upload.id];
  if (hashed.bytes != upload.bytes) {  // After a restart, or a batch that was not stored.
    hashed = {};
    RETURN_IF_ERROR(
        files_.ForEachPiece(upload.id, upload.bytes, [&](std::string_view piece) { hashed.hash.Add(piece); }));
    hashed.bytes = upload.bytes;
  }
  return &hashed.hash;
}

absl::Status SqliteArtifactWriter::DropUploads(const AttemptId& id, std::vector<int64_t>& finished) {
  RETURN_IF_ERROR(list_uploads_.ForEach(id.job, id.number, [&](int64_t upload) {
    finished.push_back(upload);
    return absl::OkStatus();
  }));
  for (const int64_t upload : finished) {
    RETURN_IF_ERROR(delete_upload_.Execute(upload).status());
    hashes_.erase(upload);
  }
  return absl::OkStatus();
}

absl::Status SqliteArtifactWriter::Sweep() {
  absl::Status status;
  const auto exists = [&](auto& query, const auto& key) {
    int64_t count = 0;
    const absl::Status read = query.ForEach(key, Into(count));
    if (!read.ok()) status = read;
    return !read.ok() || count > 0;  // In doubt it stays.
  };
  RETURN_IF_ERROR(files_.Sweep([&](int64_t upload) { return exists(upload_exists_, upload); },
                               [&](const std::string& sha256) { return exists(content_exists_, sha256); }));
  return status;
}

}  // namespace benchwire::storage
