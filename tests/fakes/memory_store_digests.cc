#include "tests/fakes/memory_store_digests.h"

#include <algorithm>
#include <iterator>

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

absl::Status AlreadyExists(const std::string& name) {
  return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", name + " exists");
}

}  // namespace

absl::Status MemoryDigestStore::Insert(const DigestRecord& record) {
  if (digests_.Find(record.day) != nullptr) return AlreadyExists(DigestName(record.day));
  DigestRecord stored = record;
  stored.revision = 1;
  digests_.Put(record.day, std::move(stored));
  return absl::OkStatus();
}

absl::StatusOr<DigestRecord> MemoryDigestStore::Get(const std::string& day) const {
  const DigestRecord* found = digests_.Find(day);
  if (found == nullptr) return NotFound(DigestName(day));
  return *found;
}

absl::Status MemoryDigestStore::Update(DigestRecord& record) {
  const DigestRecord* found = digests_.Find(record.day);
  if (found == nullptr || found->revision != record.revision) return RevisionChanged(DigestName(record.day));
  ++record.revision;
  digests_.Put(record.day, record);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DigestRecord>> MemoryDigestStore::List(const std::string& before, bool published_only,
                                                                  int64_t limit) const {
  std::vector<DigestRecord> out;
  auto row = before.empty() ? digests_.rows().end() : digests_.rows().lower_bound(before);
  while (row != digests_.rows().begin() && std::ssize(out) < limit) {
    --row;
    if (!published_only || row->second->digest.latest_edition() > 0) out.push_back(*row->second);
  }
  return out;
}

absl::Status MemoryDigestStore::InsertEntry(const EntryRecord& record) {
  if (digests_.Find(record.day) == nullptr) return NotFound(DigestName(record.day));
  if (entries_.Find({record.day, record.id}) != nullptr) return AlreadyExists(EntryName({record.day, record.id}));
  EntryRecord stored = record;
  stored.revision = 1;
  entries_.Put({record.day, record.id}, std::move(stored));
  return absl::OkStatus();
}

absl::StatusOr<EntryRecord> MemoryDigestStore::GetEntry(const EntryId& id) const {
  const EntryRecord* found = entries_.Find({id.digest, id.entry});
  if (found == nullptr) return NotFound(EntryName(id));
  return *found;
}

absl::Status MemoryDigestStore::UpdateEntry(EntryRecord& record) {
  const EntryRecord* found = entries_.Find({record.day, record.id});
  if (found == nullptr || found->revision != record.revision)
    return RevisionChanged(EntryName({record.day, record.id}));
  ++record.revision;
  entries_.Put({record.day, record.id}, record);
  return absl::OkStatus();
}

absl::Status MemoryDigestStore::DeleteEntry(const EntryId& id) {
  if (entries_.Find({id.digest, id.entry}) == nullptr) return NotFound(EntryName(id));
  entries_.Erase({id.digest, id.entry});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<EntryRecord>> MemoryDigestStore::ListEntries(const std::string& day) const {
  std::vector<EntryRecord> out;
  for (auto row = entries_.rows().lower_bound({day, ""}); row != entries_.rows().end() && row->first.first == day;
       ++row) {
    out.push_back(*row->second);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const EntryRecord& a, const EntryRecord& b) { return a.entry.position() < b.entry.position(); });
  return out;
}

absl::Status MemoryDigestStore::InsertEdition(const EditionId& id, const v1::Edition& edition) {
  if (digests_.Find(id.digest) == nullptr) return NotFound(DigestName(id.digest));
  if (editions_.Find({id.digest, id.number}) != nullptr) return AlreadyExists(EditionName(id));
  editions_.Put({id.digest, id.number}, edition);
  return absl::OkStatus();
}

absl::StatusOr<v1::Edition> MemoryDigestStore::GetEdition(const EditionId& id) const {
  const v1::Edition* found = editions_.Find({id.digest, id.number});
  if (found == nullptr) return NotFound(EditionName(id));
  return *found;
}

absl::StatusOr<std::vector<v1::Edition>> MemoryDigestStore::ListEditions(const std::string& day, int64_t before,
                                                                         int64_t limit) const {
  std::vector<v1::Edition> out;
  auto row = editions_.rows().lower_bound({day, before == 0 ? INT64_MAX : before});
  while (row != editions_.rows().begin() && std::ssize(out) < limit) {
    --row;
    if (row->first.first != day) break;
    out.push_back(*row->second);
  }
  return out;
}

}  // namespace benchwire::storage
