// The log of changes, and the answers given to request ids. Used inside Store::Read and Store::Write only; const
// methods read.
#ifndef BENCHWIRE_STORAGE_EVENT_STORE_H_
#define BENCHWIRE_STORAGE_EVENT_STORE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/records.h"

namespace benchwire::storage {

class EventStore {
 public:
  virtual ~EventStore() = default;

  // Adds an event; its revision is the next one.
  virtual absl::Status Append(const v1::Event& event) = 0;
  // Events after a revision, in order.
  virtual absl::StatusOr<std::vector<v1::Event>> List(int64_t after, int64_t limit) const = 0;
  // The newest revision, 0 before the first.
  virtual absl::StatusOr<int64_t> LastRevision() const = 0;
};

struct RequestRecord {
  std::string payload_sha256;  // Hex.
  std::string resource;        // What the call made.
};

class RequestStore {
 public:
  virtual ~RequestStore() = default;

  // ALREADY_EXISTS.
  virtual absl::Status Insert(const std::string& method, const std::string& request_id,
                              const RequestRecord& record) = 0;
  virtual absl::StatusOr<std::optional<RequestRecord>> Find(const std::string& method,
                                                            const std::string& request_id) const = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_EVENT_STORE_H_
