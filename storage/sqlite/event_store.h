// EventStore and RequestStore over one SQLite connection.
#ifndef BENCHWIRE_STORAGE_SQLITE_EVENT_STORE_H_
#define BENCHWIRE_STORAGE_SQLITE_EVENT_STORE_H_

#include "storage/event_store.h"
#include "storage/sqlite/statement.h"

namespace benchwire::storage {

class SqliteEventStore final : public EventStore {
 public:
  explicit SqliteEventStore(soci::session& session);

  absl::Status Append(const v1::Event& event) override;
  absl::StatusOr<std::vector<v1::Event>> List(int64_t after, int64_t limit) const override;
  absl::StatusOr<int64_t> LastRevision() const override;

 private:
  mutable Command<int64_t, int64_t, std::string, std::string> append_;
  mutable Query<std::tuple<int64_t, int64_t, int64_t, std::string, std::string>, int64_t, int64_t> list_;
  mutable Query<std::tuple<int64_t>> last_;
};

class SqliteRequestStore final : public RequestStore {
 public:
  explicit SqliteRequestStore(soci::session& session);

  absl::Status Insert(const std::string& method, const std::string& request_id, const RequestRecord& record) override;
  absl::StatusOr<std::optional<RequestRecord>> Find(const std::string& method,
                                                    const std::string& request_id) const override;

 private:
  mutable Command<std::string, std::string, std::string, std::string> insert_;
  mutable Query<std::tuple<std::string, std::string>, std::string, std::string> find_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_EVENT_STORE_H_
