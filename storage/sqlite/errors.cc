#include "storage/sqlite/errors.h"

#include <soci/sqlite3/soci-sqlite3.h>

#include "server/base/status.h"

namespace benchwire::storage {

absl::Status ToStatus(const soci::soci_error& error) {
  const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  const std::string message = error.get_error_message();
  switch (sqlite != nullptr ? sqlite->result() & 0xff : 0) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return MakeError(absl::StatusCode::kResourceExhausted, "DISK_FULL", "the database cannot be written: " + message);
    case SQLITE_CONSTRAINT:
      return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", message);
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

absl::Status BadStoredMessage(const std::string& what) {
  return MakeError(absl::StatusCode::kDataLoss, "BAD_STORED_MESSAGE", "the stored " + what + " cannot be parsed");
}

}  // namespace benchwire::storage
