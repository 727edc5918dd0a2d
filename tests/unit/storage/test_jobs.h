// What the SQLite tests write and how they look at a database file from outside.
#ifndef BENCHWIRE_TESTS_UNIT_STORAGE_TEST_JOBS_H_
#define BENCHWIRE_TESTS_UNIT_STORAGE_TEST_JOBS_H_

#include <string>
#include <vector>

#include "server/base/status.h"
#include "storage/sqlite/connection.h"
#include "storage/store.h"

namespace benchwire::storage {

// A job with its event.
inline absl::Status InsertJob(Transaction& t, const std::string& id, size_t spec_bytes) {
  JobRecord record;
  record.id = id;
  record.job.set_name(JobName(id));
  record.job.set_state(v1::JOB_STATE_QUEUED);
  record.spec_json = std::string(spec_bytes, 'x');
  RETURN_IF_ERROR(t.jobs().Insert(record));
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_CREATED);
  event.set_resource(JobName(id));
  return t.events().Append(event);
}

// The same in one transaction.
inline absl::Status WriteJob(Store& store, const std::string& id, size_t spec_bytes = 100) {
  return store.Write([&](Transaction& t) { return InsertJob(t, id, spec_bytes); });
}

// OK where all these jobs are there and there is one event for each job; else what is wrong.
inline absl::Status CheckJobs(const Store& store, const std::vector<std::string>& ids) {
  return store.Read([&](const View& v) -> absl::Status {
    for (const std::string& id : ids) RETURN_IF_ERROR(v.jobs().Get(id).status());
    ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, v.jobs().List({}, "", INT64_MAX));
    ASSIGN_OR_RETURN(const int64_t revision, v.events().LastRevision());
    if (revision == static_cast<int64_t>(jobs.size())) return absl::OkStatus();
    return Precondition("TORN", std::to_string(jobs.size()) + " jobs, " + std::to_string(revision) + " events");
  });
}

// `ok`, or what SQLite finds wrong with the file.
inline std::string IntegrityCheck(const std::string& path) {
  auto connection = Connection::Open(path, Access::kReadOnly);
  if (!connection.ok()) return std::string(connection.status().message());
  std::string result;
  (*connection)->session() << "PRAGMA integrity_check", soci::into(result);
  return result;
}

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_UNIT_STORAGE_TEST_JOBS_H_
