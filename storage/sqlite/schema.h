// The schemas of the two database files, as numbered migrations. A migration that was released never changes.
#ifndef BENCHWIRE_STORAGE_SQLITE_SCHEMA_H_
#define BENCHWIRE_STORAGE_SQLITE_SCHEMA_H_

#include <vector>

#include "storage/sqlite/connection.h"

namespace benchwire::storage {

// Job state, digests, measurements, workers, events.
std::vector<Migration> MainMigrations();
// Logs and series.
std::vector<Migration> TelemetryMigrations();

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_SCHEMA_H_
