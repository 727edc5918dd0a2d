// DigestStore over one SQLite connection.
#ifndef BENCHWIRE_STORAGE_SQLITE_DIGEST_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_DIGEST_STORE_H_

#include "storage/digest_store.h"
#include "storage/sqlite/statement.h"

namespace benchwire::storage {

class SqliteDigestStore final : public DigestStore {
 public:
  explicit SqliteDigestStore(soci::session& session);

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
  using DigestRow = std::tuple<std::string, Bytes, int64_t>;              // day, resource, revision
  using EntryRow = std::tuple<std::string, std::string, Bytes, int64_t>;  // day, id, resource, revision

  mutable Command<std::string, int64_t, Bytes> insert_;
  mutable Query<DigestRow, std::string> get_;
  mutable Command<int64_t, Bytes, std::string, int64_t> update_;
  mutable Query<DigestRow, std::string, int64_t, int64_t> list_;
  mutable Command<std::string, std::string, int64_t, Bytes> insert_entry_;
  mutable Query<EntryRow, std::string, std::string> get_entry_;
  mutable Command<int64_t, Bytes, std::string, std::string, int64_t> update_entry_;
  mutable Command<std::string, std::string> delete_entry_;
  mutable Query<EntryRow, std::string> list_entries_;
  mutable Command<std::string, int64_t, Bytes> insert_edition_;
  mutable Query<std::tuple<Bytes>, std::string, int64_t> get_edition_;
  mutable Query<std::tuple<Bytes>, std::string, int64_t, int64_t> list_editions_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_DIGEST_STORE_H_
