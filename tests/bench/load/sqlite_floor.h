// The least that submitting a job durably costs: the rows of one job written through bare sqlite3 by one thread that
// commits whatever many producers have waiting, with the pragmas of the server.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_SQLITE_FLOOR_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_SQLITE_FLOOR_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::bench {

// The bytes of a job as the server stores it.
struct JobRow {
  std::string resource;
  std::string spec;
};

// A database in a new file with the server's schema.
class SqliteFloor {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteFloor>> Open(const std::string& path);
  virtual ~SqliteFloor() = default;

  // Job, request and event rows inserted a second, each producer waiting for its own to be on disk before the next.
  virtual absl::StatusOr<double> PerSecond(const JobRow& row, int producers, std::chrono::milliseconds duration) = 0;
};

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_SQLITE_FLOOR_H_
