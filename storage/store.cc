#include "storage/store.h"

#include <future>
#include <memory>
#include <utility>

namespace benchwire::storage {

absl::Status Store::Write(WriteFunction function) {
  // Shared: the store's thread may still be inside set_value when get returns.
  auto promise = std::make_shared<std::promise<absl::Status>>();
  std::future<absl::Status> future = promise->get_future();
  WriteAsync(std::move(function), [promise](const absl::Status& status) { promise->set_value(status); });
  return future.get();
}

}  // namespace benchwire::storage
