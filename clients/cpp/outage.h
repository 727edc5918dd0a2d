// A call to a server that was reached before: it may vanish and come back. For whoever waits for something there.
#ifndef BENCHWIRE_CLIENTS_CPP_OUTAGE_H_
#define BENCHWIRE_CLIENTS_CPP_OUTAGE_H_

#include <functional>

#include "absl/status/statusor.h"
#include "clients/cpp/connection.h"

namespace benchwire::client {

// Makes the call again until it succeeds, its error is not one that passes, or the outage (ConnectionOptions::outage)
// is too long. `on_outage`, where there is one, is called each time the server could not be reached. CANCELLED with the
// connection's token.
template <typename T>
absl::StatusOr<T> ThroughOutage(Connection& connection, const std::function<absl::StatusOr<T>()>& call,
                                const std::function<void(const absl::Status&)>& on_outage) {
  for (int outages = 1;; ++outages) {
    absl::StatusOr<T> result = call();
    if (result.ok()) return result;
    const auto delay = RetryDelay(connection.options().outage, outages, result.status(), connection.Jitter());
    if (!delay) return result;
    if (on_outage) on_outage(result.status());
    if (connection.cancel().WaitFor(*delay)) return absl::CancelledError("interrupted");
  }
}

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_OUTAGE_H_
