// SOCI's and SQLite's errors as statuses, in one place.
#ifndef BENCHWIRE_STORAGE_SQLITE_ERRORS_H_
#define BENCHWIRE_STORAGE_SQLITE_ERRORS_H_

#include <soci/soci.h>

#include <string>

#include "absl/status/status.h"

namespace benchwire::storage {

// RESOURCE_EXHAUSTED/DISK_FULL, ALREADY_EXISTS, NOT_FOUND (a row that the new one belongs to),
// UNAVAILABLE/DATABASE_BUSY, DATA_LOSS/DATABASE_CORRUPT, INTERNAL/DISK_SYNC_FAILED, INTERNAL/DISK_ERROR,
// INTERNAL/DATABASE_ERROR.
absl::Status ToStatus(const soci::soci_error& error);

// The disk did not confirm what was written: what stands on it is unknown.
bool IsSyncFailure(const absl::Status& status);

// DATA_LOSS: a stored message cannot be parsed.
absl::Status BadStoredMessage(const std::string& what);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_ERRORS_H_
