#include "storage/store.h"

#include <future>
#include <utility>

namespace benchwire::storage {

absl::Status Store::Write(WriteFunction function) {
  std::promise<absl::Status> promise;
  std::future<absl::Status> future = promise.get_future();
  WriteAsync(std::move(function), [&promise](const absl::Status& status) { promise.set_value(status); });
  return future.get();
}

}  // namespace benchwire::storage
