#include "storage/sqlite/event_store.h"

#include "server/base/clock.h"
#include "server/base/status.h"

namespace benchwire::storage {

SqliteEventStore::SqliteEventStore(soci::session& session)
    : append_(session, "INSERT INTO events (time, type, resource, state) VALUES (:time, :type, :resource, :state)"),
      list_(session,
            "SELECT revision, time, type, resource, state FROM events WHERE revision > :after ORDER BY revision LIMIT "
            ":limit"),
      last_(session, "SELECT COALESCE(MAX(revision), 0) FROM events") {}

absl::Status SqliteEventStore::Append(const v1::Event& event) {
  return append_
      .Execute(FromProto(event.time()).time_since_epoch().count(), event.type(), event.resource(), event.state())
      .status();
}

absl::StatusOr<std::vector<v1::Event>> SqliteEventStore::List(int64_t after, int64_t limit) const {
  std::vector<v1::Event> out;
  RETURN_IF_ERROR(list_.ForEach(
      after, limit,
      [&out](int64_t revision, int64_t time, int64_t type, const std::string& resource, const std::string& state) {
        v1::Event& event = out.emplace_back();
        event.set_revision(revision);
        *event.mutable_time() = ToProto(WallTime(std::chrono::nanoseconds(time)));
        event.set_type(static_cast<v1::EventType>(type));
        event.set_resource(resource);
        event.set_state(state);
        return absl::OkStatus();
      }));
  return out;
}

absl::StatusOr<int64_t> SqliteEventStore::LastRevision() const {
  int64_t last = 0;
  RETURN_IF_ERROR(last_.ForEach([&last](int64_t revision) {
    last = revision;
    return absl::OkStatus();
  }));
  return last;
}

SqliteRequestStore::SqliteRequestStore(soci::session& session)
    : insert_(session,
              "INSERT INTO requests (method, request_id, payload_sha256, resource) VALUES (:method, :id, :payload, "
              ":resource)"),
      find_(session, "SELECT payload_sha256, resource FROM requests WHERE method = :method AND request_id = :id") {}

absl::Status SqliteRequestStore::Insert(const std::string& method, const std::string& request_id,
                                        const RequestRecord& record) {
  return insert_.Execute(method, request_id, record.payload_sha256, record.resource).status();
}

absl::StatusOr<std::optional<RequestRecord>> SqliteRequestStore::Find(const std::string& method,
                                                                      const std::string& request_id) const {
  std::optional<RequestRecord> found;
  RETURN_IF_ERROR(find_.ForEach(method, request_id, [&found](const std::string& payload, const std::string& resource) {
    found = RequestRecord{payload, resource};
    return absl::OkStatus();
  }));
  return found;
}

}  // namespace benchwire::storage
