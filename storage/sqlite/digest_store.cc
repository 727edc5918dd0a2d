#include "storage/sqlite/digest_store.h"

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

auto CollectDigests(std::vector<DigestRecord>& out) {
  return [&out](const std::string& day, const Bytes& resource, int64_t revision) -> absl::Status {
    DigestRecord& record = out.emplace_back();
    record.day = day;
    if (!record.digest.ParseFromString(resource.value)) return BadStoredMessage("digest " + day);
    record.revision = revision;
    return absl::OkStatus();
  };
}

auto CollectEntries(std::vector<EntryRecord>& out) {
  return
      [&out](const std::string& day, const std::string& id, const Bytes& resource, int64_t revision) -> absl::Status {
        EntryRecord& record = out.emplace_back();
        record.day = day;
        record.id = id;
        if (!record.entry.ParseFromString(resource.value)) return BadStoredMessage("entry " + id);
        record.revision = revision;
        return absl::OkStatus();
      };
}

auto CollectEditions(std::vector<v1::Edition>& out) {
  return [&out](const Bytes& resource) -> absl::Status {
    if (!out.emplace_back().ParseFromString(resource.value)) return BadStoredMessage("edition");
    return absl::OkStatus();
  };
}

}  // namespace

SqliteDigestStore::SqliteDigestStore(soci::session& session)
    : insert_(session,
              "INSERT INTO digests (day, latest_edition, resource, revision) VALUES (:day, :edition, :resource, 1)"),
      get_(session, "SELECT day, resource, revision FROM digests WHERE day = :day"),
      update_(session,
              "UPDATE digests SET latest_edition = :edition, resource = :resource, revision = revision + 1 "
              "WHERE day = :day AND revision = :revision"),
      list_(session,
            "SELECT day, resource, revision FROM digests WHERE day < :before AND latest_edition >= :least "
            "ORDER BY day DESC LIMIT :limit"),
      insert_entry_(
          session,
          "INSERT INTO entries (day, id, position, resource, revision) VALUES (:day, :id, :position, :resource, 1)"),
      get_entry_(session, "SELECT day, id, resource, revision FROM entries WHERE day = :day AND id = :id"),
      update_entry_(session,
                    "UPDATE entries SET position = :position, resource = :resource, revision = revision + 1 "
                    "WHERE day = :day AND id = :id AND revision = :revision"),
      delete_entry_(session, "DELETE FROM entries WHERE day = :day AND id = :id"),
      list_entries_(session, "SELECT day, id, resource, revision FROM entries WHERE day = :day ORDER BY position, id"),
      insert_edition_(session, "INSERT INTO editions (day, number, resource) VALUES (:day, :number, :resource)"),
      get_edition_(session, "SELECT resource FROM editions WHERE day = :day AND number = :number"),
      list_editions_(
          session,
          "SELECT resource FROM editions WHERE day = :day AND number < :before ORDER BY number DESC LIMIT :limit") {}

absl::Status SqliteDigestStore::Insert(const DigestRecord& record) {
  return insert_.Execute(record.day, record.digest.latest_edition(), Bytes{record.digest.SerializeAsString()}).status();
}

absl::StatusOr<DigestRecord> SqliteDigestStore::Get(const std::string& day) const {
  std::vector<DigestRecord> found;
  RETURN_IF_ERROR(get_.ForEach(day, CollectDigests(found)));
  if (found.empty()) return NotFound(DigestName(day));
  return std::move(found.front());
}

absl::Status SqliteDigestStore::Update(DigestRecord& record) {
  ASSIGN_OR_RETURN(const int64_t rows,
                   update_.Execute(record.digest.latest_edition(), Bytes{record.digest.SerializeAsString()}, record.day,
                                   record.revision));
  if (rows == 0) return RevisionChanged(DigestName(record.day));
  ++record.revision;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DigestRecord>> SqliteDigestStore::List(const std::string& before, bool published_only,
                                                                  int64_t limit) const {
  std::vector<DigestRecord> out;
  RETURN_IF_ERROR(list_.ForEach(before.empty() ? "~" : before, published_only ? 1 : 0, limit, CollectDigests(out)));
  return out;
}

absl::Status SqliteDigestStore::InsertEntry(const EntryRecord& record) {
  return insert_entry_.Execute(record.day, record.id, record.entry.position(), Bytes{record.entry.SerializeAsString()})
      .status();
}

absl::StatusOr<EntryRecord> SqliteDigestStore::GetEntry(const EntryId& id) const {
  std::vector<EntryRecord> found;
  RETURN_IF_ERROR(get_entry_.ForEach(id.digest, id.entry, CollectEntries(found)));
  if (found.empty()) return NotFound(EntryName(id));
  return std::move(found.front());
}

absl::Status SqliteDigestStore::UpdateEntry(EntryRecord& record) {
  ASSIGN_OR_RETURN(const int64_t rows,
                   update_entry_.Execute(record.entry.position(), Bytes{record.entry.SerializeAsString()}, record.day,
                                         record.id, record.revision));
  if (rows == 0) return RevisionChanged(EntryName({record.day, record.id}));
  ++record.revision;
  return absl::OkStatus();
}

absl::Status SqliteDigestStore::DeleteEntry(const EntryId& id) {
  ASSIGN_OR_RETURN(const int64_t rows, delete_entry_.Execute(id.digest, id.entry));
  return rows == 0 ? NotFound(EntryName(id)) : absl::OkStatus();
}

absl::StatusOr<std::vector<EntryRecord>> SqliteDigestStore::ListEntries(const std::string& day) const {
  std::vector<EntryRecord> out;
  RETURN_IF_ERROR(list_entries_.ForEach(day, CollectEntries(out)));
  return out;
}

absl::Status SqliteDigestStore::InsertEdition(const EditionId& id, const v1::Edition& edition) {
  return insert_edition_.Execute(id.digest, id.number, Bytes{edition.SerializeAsString()}).status();
}

absl::StatusOr<v1::Edition> SqliteDigestStore::GetEdition(const EditionId& id) const {
  std::vector<v1::Edition> found;
  RETURN_IF_ERROR(get_edition_.ForEach(id.digest, id.number, CollectEditions(found)));
  if (found.empty()) return NotFound(EditionName(id));
  return std::move(found.front());
}

absl::StatusOr<std::vector<v1::Edition>> SqliteDigestStore::ListEditions(const std::string& day, int64_t before,
                                                                         int64_t limit) const {
  std::vector<v1::Edition> out;
  RETURN_IF_ERROR(list_editions_.ForEach(day, before == 0 ? INT64_MAX : before, limit, CollectEditions(out)));
  return out;
}

}  // namespace benchwire::storage
