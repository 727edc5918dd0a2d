// DigestStore in memory, a part of MemoryStore.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_DIGESTS_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_DIGESTS_H_

#include <string>
#include <utility>
#include <vector>

#include "storage/digest_store.h"
#include "tests/fakes/memory_store_table.h"

namespace benchwire::storage {

class MemoryDigestStore final : public DigestStore {
 public:
  absl::Status Insert(const DigestRecord& record) override;
  absl::StatusOr<DigestRecord> Get(const std::string& day) const override;
  absl::Status Update(DigestRecord& record) override;
  absl::StatusOr<std::vector<DigestRecord>> List(const std::string& before, bool published_only,
                                                 int64_t limit) const override;
  absl::Status InsertEntry(const EntryRecord& record) override;
  absl::StatusOr<EntryRecord> GetEntry(const EntryId& id) const override;
  absl::Status UpdateEntry(EntryRecord& record) override;
  absl::Status DeleteEntry(const EntryId& id) override;
  absl::StatusOr<std::vector<EntryRecord>> ListEntries(const std::string& day) const override;
  absl::Status InsertEdition(const EditionId& id, const v1::Edition& edition) override;
  absl::StatusOr<v1::Edition> GetEdition(const EditionId& id) const override;
  absl::StatusOr<std::vector<v1::Edition>> ListEditions(const std::string& day, int64_t before,
                                                        int64_t limit) const override;

 private:
  MemoryTable<std::string, DigestRecord> digests_;
  MemoryTable<std::pair<std::string, std::string>, EntryRecord> entries_;  // By day and id.
  MemoryTable<std::pair<std::string, int64_t>, v1::Edition> editions_;     // By day and number.
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_DIGESTS_H_
