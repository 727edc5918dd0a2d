#include "storage/telemetry_store.h"

#include <future>
#include <memory>
#include <utility>

namespace benchwire::storage {

absl::StatusOr<TelemetryCursor> TelemetryStore::Append(TelemetryBatch batch) {
  // Shared: the store's thread may still be inside set_value when get returns.
  auto promise = std::make_shared<std::promise<absl::StatusOr<TelemetryCursor>>>();
  auto future = promise->get_future();
  AppendAsync(std::move(batch),
              [promise](absl::StatusOr<TelemetryCursor> cursor) { promise->set_value(std::move(cursor)); });
  return future.get();
}

}  // namespace benchwire::storage
