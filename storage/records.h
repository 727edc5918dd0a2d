// What the stores keep: the resources of proto/benchwire/v1, and beside them what only the server may know.
#ifndef BENCHWIRE_STORAGE_RECORDS_H_
#define BENCHWIRE_STORAGE_RECORDS_H_

#include <benchwire/v1/digest.pb.h>
#include <benchwire/v1/event_service.pb.h>
#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/worker.pb.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace benchwire::storage {

// The lease of a job's latest attempt. Empty (epoch 0) before the first.
struct LeaseRecord {
  int64_t epoch = 0;         // Grows by one with every lease of the job.
  std::string token_sha256;  // Hex; the token itself is never stored.
  std::string worker;        // The worker's id.
  std::string incarnation;   // Its process start.
  std::string request_id;    // Of the LeaseJob call that got it.
  bool operator==(const LeaseRecord&) const = default;
};

struct JobRecord {
  std::string id;
  v1::Job job;             // Without attempts, progress and etag: they are added when read.
  std::string spec_json;   // The resolved spec, byte for byte what spec_digest covers.
  std::string shape;       // Jobs of one shape are alike to the scheduler: see ShapeOf in server/core/scheduling.h.
  int64_t queued_at = 0;   // Nanoseconds since 1970; its place in the queue, kept when a worker is lost.
  int64_t expires_at = 0;  // Nanoseconds since 1970 when it ends EXPIRED where it is QUEUED still. 0: never.
  int64_t attempt = 0;     // Number of the latest attempt, 0 before the first.
  LeaseRecord lease;
  int64_t revision = 0;  // Grows by one with every update; guards updates.
};

struct WorkerRecord {
  std::string id;
  v1::Worker worker;      // Without jobs and etag: they are added when read.
  std::string session;    // Of the current incarnation.
  bool draining = false;  // An operator asked for it.
  int64_t revision = 0;
};

struct DigestRecord {
  std::string day;
  v1::Digest digest;     // Without edition, entries and etag.
  int64_t revision = 0;  // Grows with every change of the digest or an entry in it.
};

struct EntryRecord {
  std::string day;
  std::string id;
  v1::Entry entry;  // Without evaluations and etag.
  int64_t revision = 0;
};

// ABORTED/REVISION_CHANGED: someone else changed the resource since it was read.
absl::Status RevisionChanged(const std::string& resource);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_RECORDS_H_
