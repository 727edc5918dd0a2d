// Files by their content: `content/ab/abcd…`, named by the SHA-256 of what is in them, and `partial/N` for what is
// still being uploaded. Every name is made here, of a number or of hex digits; nothing a caller says becomes a path.
// What a call wrote is on disk when it returns. Errors: RESOURCE_EXHAUSTED/DISK_FULL,
// INTERNAL/DISK_SYNC_FAILED, INTERNAL/DISK_ERROR.
//
// One thread writes; reading is for any thread.
#ifndef BENCHWIRE_STORAGE_ARTIFACTS_CONTENT_FILES_H_
#define BENCHWIRE_STORAGE_ARTIFACTS_CONTENT_FILES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace benchwire::storage {

class ContentFiles {
 public:
  // Makes the directory (mode 0700) where it is missing.
  static absl::StatusOr<std::unique_ptr<ContentFiles>> Open(const std::string& directory);

  // Writes the bytes of an upload from `offset`; what lay there or beyond is gone.
  absl::Status Write(int64_t upload, int64_t offset, std::string_view bytes);
  // Calls `take` with the first `size` bytes of an upload, piece by piece. DATA_LOSS: there are fewer.
  absl::Status ForEachPiece(int64_t upload, int64_t size, const std::function<void(std::string_view)>& take);
  // Makes an upload the content of that hash too. Does nothing where that is there.
  absl::Status Keep(int64_t upload, const std::string& sha256);
  // Of an upload that is not there: nothing.
  void RemoveUpload(int64_t upload);
  void RemoveContent(const std::string& sha256);

  // At most `limit` bytes from `offset`, fewer at the end. DATA_LOSS: there is no such content.
  absl::StatusOr<std::string> Read(const std::string& sha256, int64_t offset, int64_t limit) const;

  // Removes what is not wanted any more: for the time before anybody writes.
  absl::Status Sweep(const std::function<bool(int64_t upload)>& keep_upload,
                     const std::function<bool(const std::string& sha256)>& keep_content);

 private:
  explicit ContentFiles(std::string directory) : directory_(std::move(directory)) {}
  std::string PartialPath(int64_t upload) const;
  std::string ContentPath(const std::string& sha256) const;
  const std::string directory_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_ARTIFACTS_CONTENT_FILES_H_
