// A file system layer for SQLite that knows what a disk holds when its power fails: what was synced, and of everything
// written since then whatever chance leaves, in sectors of 512 bytes that come in any order, whole, torn or not at all.
//
// While an object lives it is SQLite's default layer in this process; one at a time. It passes everything on to the
// kernel's files, so that the program under test notices nothing, and syncs nothing there, so that it is quick. At a
// chosen operation it takes down what the disk would hold, and the program goes on. Any thread.
//
// After the crash tests of SQLite itself (sqlite.org/testing.html, section 3.3), and A. Pillai et al., All File Systems
// Are Not Created Equal, OSDI 2014: writes between two syncs reach the disk in any order.
#ifndef BENCHWIRE_TESTS_FAULTS_POWER_LOSS_VFS_H_
#define BENCHWIRE_TESTS_FAULTS_POWER_LOSS_VFS_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "server/base/mutex.h"

namespace benchwire::faults {

// Content by path.
using DiskImage = std::map<std::string, std::string>;

class PowerLossVfs {
 public:
  PowerLossVfs();
  ~PowerLossVfs();
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  // The power fails at the operation (write, cut, sync or removal) of this number, counted from now, while no file is
  // open; what was written before is forgotten. `at_failure` runs then, on the thread that makes the operation; it must
  // not use SQLite.
  void FailAt(int64_t operation, uint64_t seed, std::function<void()> at_failure);
  // What the disk holds then; absent where the power has not failed yet.
  std::optional<DiskImage> image() const;

  // From now on every sync fails, as on a disk with bad blocks.
  void FailSyncs();

  // What the layer's files tell. `path` as SQLite gave it.
  void OnWrite(const std::string& path, int64_t offset, std::string bytes);
  void OnTruncate(const std::string& path, int64_t size);
  // The result for SQLite.
  int OnSync(const std::string& path);
  void OnDelete(const std::string& path, bool synced);

  sqlite3_vfs* real() const { return real_; }

 private:
  struct Change {
    int64_t offset = 0;
    std::string bytes;
    bool truncate = false;  // To `offset`.
  };
  struct File {
    std::string synced;
    bool created = false;  // Its name is on the disk for certain.
    bool removed = false;  // Its name may be gone.
    std::vector<Change> since;
  };

  // Counts an operation; takes the image where it is the one.
  void Count() REQUIRES(mutex_);
  // What was removed is gone for certain. A test's files lie in one directory.
  void SyncDirectory() REQUIRES(mutex_);
  std::string Survivor(const File& file, std::mt19937_64& random) const;

  sqlite3_vfs layer_{};
  sqlite3_vfs* real_ = nullptr;
  mutable Mutex mutex_;
  std::map<std::string, File> files_ GUARDED_BY(mutex_);
  bool syncs_fail_ GUARDED_BY(mutex_) = false;
  int64_t left_ GUARDED_BY(mutex_) = -1;
  uint64_t seed_ GUARDED_BY(mutex_) = 0;
  std::function<void()> at_failure_ GUARDED_BY(mutex_);
  std::optional<DiskImage> image_ GUARDED_BY(mutex_);
};

}  // namespace benchwire::faults

#endif  // BENCHWIRE_TESTS_FAULTS_POWER_LOSS_VFS_H_
