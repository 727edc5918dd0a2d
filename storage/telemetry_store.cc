#include "storage/telemetry_store.h"

#include <future>
#include <utility>

namespace benchwire::storage {

absl::StatusOr<TelemetryCursor> TelemetryStore::Append(TelemetryBatch batch) {
  std::promise<absl::StatusOr<TelemetryCursor>> promise;
  auto future = promise.get_future();
  AppendAsync(std::move(batch),
              [&promise](absl::StatusOr<TelemetryCursor> cursor) { promise.set_value(std::move(cursor)); });
  return future.get();
}

}  // namespace benchwire::storage
