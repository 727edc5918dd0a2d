// The directory that holds a server's state: `main.db`, `telemetry.db`, `artifacts/` and `lock`. One process at a time
// owns it.
#ifndef BENCHWIRE_STORAGE_DATA_DIRECTORY_H_
#define BENCHWIRE_STORAGE_DATA_DIRECTORY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::storage {

class DataDirectory {
 public:
  // Makes the directory (mode 0700) where it is missing and takes its lock, which the kernel drops when the process
  // ends, however it ends. FAILED_PRECONDITION/DATA_DIRECTORY_IN_USE: another process has it.
  static absl::StatusOr<std::unique_ptr<DataDirectory>> Acquire(const std::string& path);
  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  std::string main_database() const { return path_ + "/main.db"; }
  std::string telemetry_database() const { return path_ + "/telemetry.db"; }
  std::string artifacts() const { return path_ + "/artifacts"; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  const std::string path_;
  const int lock_;  // Descriptor of the lock file.
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_DATA_DIRECTORY_H_
