// Jobs, their attempts and the attempts' measurements. Times are nanoseconds since 1970. Used inside Store::Read and
// Store::Write only; const methods read. NOT_FOUND, ALREADY_EXISTS and ABORTED/REVISION_CHANGED are as named; other
// errors are the engine's.
#ifndef BENCHWIRE_STORAGE_JOB_STORE_H_
#define BENCHWIRE_STORAGE_JOB_STORE_H_

#include <benchwire/v1/measurement.pb.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/resource_name.h"
#include "storage/records.h"

namespace benchwire::storage {

// A place in an attempt's measurements: the report batch and the row in it.
struct MeasurementKey {
  int64_t sequence = 0;
  int64_t ordinal = 0;
  auto operator<=>(const MeasurementKey&) const = default;
};

struct MeasurementRow {
  MeasurementKey key;
  v1::Measurement measurement;
};

struct MeasurementQuery {
  AttemptId attempt;
  std::string metric;    // Empty: all.
  std::string case_id;   // Empty: all.
  MeasurementKey after;  // Rows after this one.
  int64_t limit = 100;
};

// A QUEUED job's place.
struct QueuePlace {
  std::string id;
  int64_t priority = 0;
  int64_t queued_at = 0;  // Nanoseconds since 1970.
};

// No earliest start is set further ahead than this: one that is comes from a clock that was set back, and does not
// hold.
inline constexpr std::chrono::nanoseconds kLongestDelay = std::chrono::minutes(10);

class JobStore {
 public:
  virtual ~JobStore() = default;

  // A new job: revision 1, no attempt and no lease, whatever the record says. Its spec and shape stay as they are.
  virtual absl::Status Insert(const JobRecord& record) = 0;
  virtual absl::StatusOr<JobRecord> Get(const std::string& id) const = 0;
  // Stores the record where the stored revision is still record.revision, and counts that up. ABORTED/REVISION_CHANGED,
  // also where the record is gone.
  virtual absl::Status Update(JobRecord& record) = 0;
  // Newest first, ids before `before` (empty: from the newest), in one of `states` (empty: all).
  virtual absl::StatusOr<std::vector<JobRecord>> List(const std::vector<v1::JobState>& states,
                                                      const std::string& before, int64_t limit) const = 0;
  // QUEUED jobs whose earliest start is not after `now`, or further ahead than kLongestDelay: of each priority,
  // submitter and shape the first `per_group` by place (queued_at, then id). By priority, submitter, shape and place.
  // That is all that scheduling has to see, however long the queue is.
  virtual absl::StatusOr<std::vector<JobRecord>> ListQueued(int64_t now, int64_t per_group) const = 0;
  // The least earliest start after `now` of a QUEUED job. 0: there is none.
  virtual absl::StatusOr<int64_t> NextEarliestStart(int64_t now) const = 0;
  // All QUEUED jobs, in no order.
  virtual absl::StatusOr<std::vector<QueuePlace>> ListQueuePlaces() const = 0;
  // QUEUED jobs that expire at `now` or before, the longest expired first.
  virtual absl::StatusOr<std::vector<JobRecord>> ListExpired(int64_t now, int64_t limit) const = 0;
  // ASSIGNED and RUNNING jobs of a worker (empty: of all), in no order.
  virtual absl::StatusOr<std::vector<JobRecord>> ListActive(const std::string& worker) const = 0;

  // Inserts or replaces the attempt. NOT_FOUND: there is no such job.
  virtual absl::Status PutAttempt(const AttemptId& id, const v1::Attempt& attempt) = 0;
  virtual absl::StatusOr<v1::Attempt> GetAttempt(const AttemptId& id) const = 0;
  // In order of their numbers.
  virtual absl::StatusOr<std::vector<v1::Attempt>> ListAttempts(const std::string& job) const = 0;

  // Remembers the token of a lease that the server took back, so that what its holder still says can be told from what
  // a stranger says.
  virtual absl::Status PutLostLease(const AttemptId& id, const std::string& token_sha256) = 0;
  // Empty: there is none.
  virtual absl::StatusOr<std::string> GetLostLease(const AttemptId& id) const = 0;

  // Adds the measurements of one report batch. A batch that is already there is left as it is. NOT_FOUND:
  // there is no such job.
  virtual absl::Status AddMeasurements(const AttemptId& attempt, int64_t sequence,
                                       const std::vector<v1::Measurement>& measurements) = 0;
  // In the order reported.
  virtual absl::StatusOr<std::vector<MeasurementRow>> ListMeasurements(const MeasurementQuery& query) const = 0;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_JOB_STORE_H_
