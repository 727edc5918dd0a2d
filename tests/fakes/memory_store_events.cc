#include "tests/fakes/memory_store_events.h"

#include <iterator>

#include "server/base/status.h"

namespace benchwire::storage {

absl::Status MemoryEventStore::Append(const v1::Event& event) {
  const auto& rows = events_.rows();
  v1::Event stored = event;
  stored.set_revision(rows.empty() ? 1 : rows.rbegin()->first + 1);
  events_.Put(stored.revision(), stored);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::Event>> MemoryEventStore::List(int64_t after, int64_t limit) const {
  std::vector<v1::Event> out;
  for (auto row = events_.rows().upper_bound(after); row != events_.rows().end() && std::ssize(out) < limit; ++row) {
    out.push_back(*row->second);
  }
  return out;
}

absl::StatusOr<int64_t> MemoryEventStore::LastRevision() const {
  return events_.rows().empty() ? 0 : events_.rows().rbegin()->first;
}

absl::Status MemoryRequestStore::Insert(const std::string& method, const std::string& request_id,
                                        const RequestRecord& record) {
  if (requests_.Find({method, request_id}) != nullptr) {
    return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", "request " + request_id + " exists");
  }
  requests_.Put({method, request_id}, record);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RequestRecord>> MemoryRequestStore::Find(const std::string& method,
                                                                      const std::string& request_id) const {
  const RequestRecord* found = requests_.Find({method, request_id});
  return found == nullptr ? std::nullopt : std::optional<RequestRecord>(*found);
}

}  // namespace benchwire::storage
