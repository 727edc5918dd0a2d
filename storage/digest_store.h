// Digests, entries and editions. Used inside Store::Read and Store::Write only; const methods read. NOT_FOUND,
// ALREADY_EXISTS and ABORTED/REVISION_CHANGED are as named.
#ifndef BENCHWIRE_STORAGE_DIGEST_STORE_H_
#define BENCHWIRE_STORAGE_DIGEST_STORE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/resource_name.h"
#include "storage/records.h"

namespace benchwire::storage {

class DigestStore {
 public:
  virtual ~DigestStore() = default;

  // Its revision is 1.
  virtual absl::Status Insert(const DigestRecord& record) = 0;
  virtual absl::StatusOr<DigestRecord> Get(const std::string& day) const = 0;
  // Stores the record where the stored revision is still record.revision, and counts that up; REVISION_CHANGED also
  // where the record is gone.
  virtual absl::Status Update(DigestRecord& record) = 0;
  // Newest day first, days before `before` (empty: from the newest).
  virtual absl::StatusOr<std::vector<DigestRecord>> List(const std::string& before, bool published_only,
                                                         int64_t limit) const = 0;

  // Its revision is 1. NOT_FOUND: there is no such digest.
  virtual absl::Status InsertEntry(const EntryRecord& record) = 0;
  virtual absl::StatusOr<EntryRecord> GetEntry(const EntryId& id) const = 0;
  virtual absl::Status UpdateEntry(EntryRecord& record) = 0;
  virtual absl::Status DeleteEntry(const EntryId& id) = 0;
  // All entries of a day by position, then id.
  virtual absl::StatusOr<std::vector<EntryRecord>> ListEntries(const std::string& day) const = 0;

  // ALREADY_EXISTS: an edition never changes. NOT_FOUND: there is no such digest.
  virtual absl::Status InsertEdition(const EditionId& id, const v1::Edition& edition) = 0;
  virtual absl::StatusOr<v1::Edition> GetEdition(const EditionId& id) const = 0;
  // Newest first, numbers below `before` (0: from the newest).
  virtual absl::StatusOr<std::vector<v1::Edition>> ListEditions(const std::string& day, int64_t before,
                                                                int64_t limit) const = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_DIGEST_STORE_H_
