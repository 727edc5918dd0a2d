// What the use cases stand on: the stores, time and randomness, and the way every change of a resource is written. All
// borrowed; they outlive the use cases.
#ifndef BENCHWIRE_SERVER_CORE_ENVIRONMENT_H_
#define BENCHWIRE_SERVER_CORE_ENVIRONMENT_H_

#include <google/protobuf/message.h>

#include <string>

#include "server/base/clock.h"
#include "server/base/random.h"
#include "storage/store.h"
#include "storage/telemetry_store.h"

namespace benchwire::core {

struct CoreEnvironment {
  storage::Store& store;
  storage::TelemetryStore& telemetry;
  const Clock& clock;
  RandomSource& random;
};

// Writes the event of a change, in the transaction of the change.
absl::Status AppendEvent(storage::Transaction& tx, v1::EventType type, const std::string& resource,
                         const std::string& state, WallTime now);

// Updates a job and writes its event.
absl::Status SaveJob(storage::Transaction& tx, storage::JobRecord& record, WallTime now);

// ABORTED/ETAG_MISMATCH where an etag is given and is not that of the revision.
absl::Status CheckEtag(const std::string& field, const std::string& etag, int64_t revision);
std::string EtagOf(int64_t revision);

// What is compared where a request id comes again, the SHA-256 of the request: the same for the same request, however
// its maps are ordered.
std::string RequestSha256(const google::protobuf::Message& request);

// The answer to a create call that was made before with the same request id: the resource it made, or nothing.
// ALREADY_EXISTS/REQUEST_ID_REUSED: its payload was another.
absl::StatusOr<std::optional<std::string>> FindRequest(const storage::RequestStore& requests, const std::string& method,
                                                       const std::string& request_id, const std::string& sha256);
// Remembers it, in the transaction of the create. Does nothing for an empty request id.
absl::Status RememberRequest(storage::RequestStore& requests, const std::string& method, const std::string& request_id,
                             const std::string& sha256, const std::string& resource);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_ENVIRONMENT_H_
