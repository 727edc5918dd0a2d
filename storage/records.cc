#include "storage/records.h"

#include "server/base/status.h"

namespace benchwire::storage {

absl::Status RevisionChanged(const std::string& resource) {
  return MakeError(absl::StatusCode::kAborted, "REVISION_CHANGED", resource + " was changed by another call");
}

}  // namespace benchwire::storage
