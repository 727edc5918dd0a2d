#include "storage/sqlite/connection.h"

#include <soci/sqlite3/soci-sqlite3.h>

#include "server/base/status.h"
#include "storage/sqlite/errors.h"

namespace benchwire::storage {
namespace {

constexpr int kBusyMilliseconds = 5'000;
constexpr int kCutMilliseconds = 100;  // How long a checkpoint may hold up writes for the sake of cutting the log.

sqlite_api::sqlite3* Handle(soci::session& session) {
  return static_cast<soci::sqlite3_session_backend*>(session.get_backend())->conn_;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, Access access) {
  std::unique_ptr<Connection> connection(new Connection);
  if (path.find('"') != std::string::npos) return BadField("data directory", path, "a path without double quotes");
  try {
    connection->session_.open(soci::sqlite3, "dbname=\"" + path + "\" timeout=5");
  } catch (const soci::soci_error& error) {
    return ToStatus(error);
  }
  sqlite_api::sqlite3_busy_timeout(Handle(connection->session_), kBusyMilliseconds);
  // A misspelt column in double quotes must be an error, not a string.
  sqlite_api::sqlite3_db_config(Handle(connection->session_), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite_api::sqlite3_db_config(Handle(connection->session_), SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite_api::sqlite3_extended_result_codes(Handle(connection->session_), 1);
  const bool write = access == Access::kReadWrite;
  if (!write) {
    // The writer makes all checkpoints.
    sqlite_api::sqlite3_db_config(Handle(connection->session_), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  for (const char* pragma : {"PRAGMA foreign_keys=ON", "PRAGMA temp_store=MEMORY", "PRAGMA cache_size=-20000",
                             "PRAGMA wal_autocheckpoint=0"}) {
    RETURN_IF_ERROR(connection->Execute(pragma));
  }
  if (write) {
    for (const char* pragma :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA journal_size_limit=67108864"}) {
      RETURN_IF_ERROR(connection->Execute(pragma));
    }
    const auto on_commit = [](void* log_pages, sqlite_api::sqlite3*, const char*, int pages) {
      *static_cast<int64_t*>(log_pages) = pages;
      return SQLITE_OK;
    };
    sqlite_api::sqlite3_wal_hook(Handle(connection->session_), on_commit, &connection->log_pages_);
  } else {
    RETURN_IF_ERROR(connection->Execute("PRAGMA query_only=ON"));
  }
  return connection;
}

absl::Status Connection::Execute(const std::string& sql) {
  char* message = nullptr;
  const int result = sqlite_api::sqlite3_exec(Handle(session_), sql.c_str(), nullptr, nullptr, &message);
  if (result == SQLITE_OK) return absl::OkStatus();
  const soci::sqlite3_soci_error error(message != nullptr ? message : "unknown error", result);
  sqlite_api::sqlite3_free(message);
  return ToStatus(error);
}

absl::Status Connection::Migrate(const std::vector<Migration>& migrations) {
  int version = 0;
  try {
    session_ << "PRAGMA user_version", soci::into(version);
  } catch (const soci::soci_error& error) {
    return ToStatus(error);
  }
  if (version > static_cast<int>(migrations.size())) {
    return Precondition("NEWER_DATABASE", "the database has schema " + std::to_string(version) +
                                              "; this version knows schemas up to " +
                                              std::to_string(migrations.size()));
  }
  for (const Migration& migration : migrations) {
    if (migration.number <= version) continue;
    RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
    absl::Status status = Execute(migration.sql);
    if (status.ok()) status = Execute("PRAGMA user_version=" + std::to_string(migration.number));
    if (status.ok()) status = Execute("COMMIT");
    if (!status.ok()) {
      (void)Execute("ROLLBACK");  // The first error is the one to report.
      return status;
    }
  }
  return absl::OkStatus();
}

bool Connection::in_transaction() { return sqlite_api::sqlite3_get_autocommit(Handle(session_)) == 0; }

absl::Status Connection::Checkpoint(bool truncate) {
  const int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  int pages = -1;
  sqlite_api::sqlite3_busy_timeout(Handle(session_), kCutMilliseconds);
  const int result = sqlite_api::sqlite3_wal_checkpoint_v2(Handle(session_), nullptr, mode, &pages, nullptr);
  sqlite_api::sqlite3_busy_timeout(Handle(session_), kBusyMilliseconds);
  if (pages >= 0) log_pages_ = pages;
  if (result == SQLITE_OK || (result & 0xff) == SQLITE_BUSY) return absl::OkStatus();
  return ToStatus(soci::sqlite3_soci_error(sqlite_api::sqlite3_errmsg(Handle(session_)), result));
}

}  // namespace benchwire::storage
