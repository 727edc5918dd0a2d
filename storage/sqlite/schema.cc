#include "storage/sqlite/schema.h"

namespace benchwire::storage {

// `resource` is the protobuf of the resource; the columns beside it are what queries need. Times are nanoseconds since
// 1970.
std::vector<Migration> MainMigrations() {
  return {{1, R"sql(
CREATE TABLE jobs (
  id TEXT NOT NULL PRIMARY KEY,
  state INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  resource BLOB NOT NULL,
  spec BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  token TEXT NOT NULL,
  worker TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  lease_request TEXT NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_queued ON jobs (priority DESC, queued_at, id) WHERE state = 1;
CREATE INDEX jobs_active ON jobs (worker) WHERE state IN (2, 3);

CREATE TABLE attempts (
  job TEXT NOT NULL REFERENCES jobs (id),
  number INTEGER NOT NULL,
  resource BLOB NOT NULL,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE measurements (
  job TEXT NOT NULL REFERENCES jobs (id),
  attempt INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  metric TEXT NOT NULL,
  case_id TEXT NOT NULL,
  resource BLOB NOT NULL,
  PRIMARY KEY (job, attempt, sequence, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id TEXT NOT NULL PRIMARY KEY,
  resource BLOB NOT NULL,
  session TEXT NOT NULL,
  draining INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  type INTEGER NOT NULL,
  resource TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;

CREATE TABLE requests (
  method TEXT NOT NULL,
  request_id TEXT NOT NULL,
  payload_sha256 TEXT NOT NULL,
  resource TEXT NOT NULL,
  PRIMARY KEY (method, request_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE digests (
  day TEXT NOT NULL PRIMARY KEY,
  latest_edition INTEGER NOT NULL,
  resource BLOB NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
  day TEXT NOT NULL REFERENCES digests (day),
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  resource BLOB NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (day, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE editions (
  day TEXT NOT NULL REFERENCES digests (day),
  number INTEGER NOT NULL,
  resource BLOB NOT NULL,
  PRIMARY KEY (day, number)
) STRICT, WITHOUT ROWID;
)sql"},
          // Older jobs are each a shape of their own.
          {2, R"sql(
ALTER TABLE jobs ADD COLUMN submitter TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN shape TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN earliest_start INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET shape = id;
DROP INDEX jobs_queued;
CREATE INDEX jobs_queued ON jobs (priority, submitter, shape, queued_at, id, earliest_start) WHERE state = 1;
CREATE INDEX jobs_delayed ON jobs (earliest_start) WHERE state = 1 AND earliest_start > 0;
CREATE INDEX jobs_expiring ON jobs (expires_at) WHERE state = 1 AND expires_at > 0;
)sql"},
          {3, R"sql(
CREATE TABLE lost_leases (
  job TEXT NOT NULL REFERENCES jobs (id),
  attempt INTEGER NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY (job, attempt)
) STRICT, WITHOUT ROWID;
)sql"}};
}

// Migration 1: `points` of a block are a SeriesData protobuf: the points of one series in one report batch, in the
// order reported. They are only read since migration 2, under which the points of a batch are first one row of
// `fresh_points` (see fresh_points.h), and once enough have come are moved to `blocks`, each of one series (see codec.h
// and buckets.h).
std::vector<Migration> TelemetryMigrations() {
  return {{1, R"sql(
CREATE TABLE cursors (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  log_bytes INTEGER NOT NULL,
  PRIMARY KEY (job, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_chunks (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  first_byte INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (job, attempt, first_byte)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  resource BLOB NOT NULL,
  PRIMARY KEY (job, attempt, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX series_key ON series (job, attempt, key);

CREATE TABLE point_blocks (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  series INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  least_step INTEGER NOT NULL,
  largest_step INTEGER NOT NULL,
  points BLOB NOT NULL,
  PRIMARY KEY (job, attempt, series, sequence)
) STRICT, WITHOUT ROWID;
)sql"},
          {2, R"sql(
CREATE TABLE fresh_points (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  points INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (job, attempt, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  series INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  points INTEGER NOT NULL,
  least_step INTEGER NOT NULL,
  largest_step INTEGER NOT NULL,
  summary BLOB NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (job, attempt, series, ordinal)
) STRICT, WITHOUT ROWID;

ALTER TABLE cursors ADD COLUMN points INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN dropped_points INTEGER NOT NULL DEFAULT 0;
)sql"},
          // An upload's id names its file, so it is never used twice.
          {3, R"sql(
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  path TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX uploads_path ON uploads (job, attempt, path);

CREATE TABLE artifacts (
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  number INTEGER NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  resource BLOB NOT NULL,
  PRIMARY KEY (job, attempt, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX artifacts_path ON artifacts (job, attempt, path);
CREATE INDEX artifacts_content ON artifacts (sha256);
)sql"}};
}

}  // namespace benchwire::storage
