// Reading connections to one database file, each with its prepared statements. A call takes one, reads in a transaction
// of its own, so that all it reads is of one moment, and gives it back. Any thread.
#ifndef BENCHWIRE_STORAGE_SQLITE_READER_POOL_H_
#define BENCHWIRE_STORAGE_SQLITE_READER_POOL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/mutex.h"
#include "server/base/status.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/statement.h"

namespace benchwire::storage {

// Tables: what holds the prepared statements; made from a soci::session.
template <typename Tables>
class ReaderPool {
 public:
  static absl::StatusOr<std::unique_ptr<ReaderPool>> Open(const std::string& path, int size) {
    std::unique_ptr<ReaderPool> pool(new ReaderPool);
    for (int i = 0; i < size; ++i) {
      ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(path, Access::kReadOnly));
      pool->Give(std::make_unique<Reader>(std::move(connection)));
    }
    return pool;
  }

  // Runs function(tables) on a consistent state. Waits where all connections are in use.
  template <typename Function>
  absl::Status Run(const Function& function) {
    std::unique_ptr<Reader> reader = Take();
    absl::Status status = reader->begin.Execute().status();
    if (status.ok()) {
      status = function(reader->tables);
      const absl::Status end = reader->end.Execute().status();
      if (status.ok()) status = end;
    }
    Give(std::move(reader));
    return status;
  }

 private:
  struct Reader {
    explicit Reader(std::unique_ptr<Connection> opened)
        : connection(std::move(opened)),
          tables(connection->session()),
          begin(connection->session(), "BEGIN"),
          end(connection->session(), "COMMIT") {}
    std::unique_ptr<Connection> connection;
    Tables tables;
    Command<> begin, end;
  };

  std::unique_ptr<Reader> Take() {
    MutexLock lock(mutex_);
    while (idle_.empty()) given_.wait(mutex_);
    std::unique_ptr<Reader> reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }
  void Give(std::unique_ptr<Reader> reader) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(reader));
    given_.notify_one();
  }

  Mutex mutex_;
  CondVar given_;
  std::vector<std::unique_ptr<Reader>> idle_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_READER_POOL_H_
