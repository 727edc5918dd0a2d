#include "storage/sqlite/errors.h"

#include <soci/sqlite3/soci-sqlite3.h>

#include "server/base/status.h"

namespace benchwire::storage {
namespace {

// No space, over a quota or a file size limit; also where the file that could not grow is the index of the log.
bool IsDiskFull(int code) {
  return (code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE;
}

}  // namespace

absl::Status ToStatus(const soci::soci_error& error) {
  const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  const std::string message = error.get_error_message();
  const int code = sqlite != nullptr ? sqlite->result() : 0;
  if (IsDiskFull(code)) {
    return MakeError(absl::StatusCode::kResourceExhausted, "DISK_FULL",
                     std::string("there is no room for the database to grow: ") + sqlite_api::sqlite3_errstr(code));
  }
  switch (code) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
      return MakeError(absl::StatusCode::kInternal, "DISK_SYNC_FAILED", message);
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
      return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", message);
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return MakeError(absl::StatusCode::kNotFound, "NOT_FOUND", "the resource that this belongs to does not exist");
    default:
      break;
  }
  switch (code & 0xff) {
    case SQLITE_IOERR:
      return MakeError(absl::StatusCode::kInternal, "DISK_ERROR", message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return MakeError(absl::StatusCode::kUnavailable, "DATABASE_BUSY", message);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return MakeError(absl::StatusCode::kDataLoss, "DATABASE_CORRUPT", message);
    default:
      return MakeError(absl::StatusCode::kInternal, "DATABASE_ERROR", message);
  }
}

bool IsSyncFailure(const absl::Status& status) { return ErrorReason(status) == "DISK_SYNC_FAILED"; }

absl::Status BadStoredMessage(const std::string& what) {
  return MakeError(absl::StatusCode::kDataLoss, "BAD_STORED_MESSAGE", "the stored " + what + " cannot be parsed");
}

}  // namespace benchwire::storage
