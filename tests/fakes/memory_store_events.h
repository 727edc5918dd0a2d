// EventStore and RequestStore in memory, parts of MemoryStore.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_EVENTS_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_EVENTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/event_store.h"
#include "tests/fakes/memory_store_table.h"

namespace benchwire::storage {

class MemoryEventStore final : public EventStore {
 public:
  absl::Status Append(const v1::Event& event) override;
  absl::StatusOr<std::vector<v1::Event>> List(int64_t after, int64_t limit) const override;
  absl::StatusOr<int64_t> LastRevision() const override;

 private:
  MemoryTable<int64_t, v1::Event> events_;
};

class MemoryRequestStore final : public RequestStore {
 public:
  absl::Status Insert(const std::string& method, const std::string& request_id, const RequestRecord& record) override;
  absl::StatusOr<std::optional<RequestRecord>> Find(const std::string& method,
                                                    const std::string& request_id) const override;

 private:
  MemoryTable<std::pair<std::string, std::string>, RequestRecord> requests_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_EVENTS_H_
