// A private file in the directory for temporary files, removed with its owner unless kept. One thread.
#ifndef BENCHWIRE_CLIENTS_CLI_TEMP_FILE_H_
#define BENCHWIRE_CLIENTS_CLI_TEMP_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::cli {

class TempFile {
 public:
  // In $TMPDIR or /tmp, readable by its owner only, named `stem` + random + `suffix`. UNKNOWN with the reason.
  static absl::StatusOr<std::unique_ptr<TempFile>> Create(const std::string& stem, const std::string& suffix,
                                                          const std::string& content);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  const std::string& path() const { return path_; }
  void Keep() { keep_ = true; }

 private:
  explicit TempFile(std::string path) : path_(std::move(path)) {}
  const std::string path_;
  bool keep_ = false;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_TEMP_FILE_H_
