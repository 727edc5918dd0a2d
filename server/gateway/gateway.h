// The HTTP side of the server: JSON under /v1 from the google.api.http annotations, server-sent events, pages for
// readers, /metrics and /healthz. It owns its threads; calls reach the services through the channel only, so that
// access, validation and limits have one place.
#ifndef BENCHWIRE_SERVER_GATEWAY_GATEWAY_H_
#define BENCHWIRE_SERVER_GATEWAY_GATEWAY_H_

#include <grpcpp/channel.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

struct GatewayOptions {
  std::string address = "127.0.0.1";
  int port = 7480;                         // 0: any free one.
  std::vector<std::string> allowed_hosts;  // Names in the Host header beyond localhost, 127.0.0.1 and [::1].
  int threads = 2;
  int max_connections = 4096;
  int max_event_streams = 256;
  size_t cache_bytes = 64 << 20;
  std::chrono::milliseconds call_timeout{30'000};
  std::chrono::seconds idle_timeout{60};
  std::chrono::seconds request_timeout{30};
  std::chrono::seconds heartbeat{15};
  std::chrono::milliseconds stop_grace{2'000};
};

struct GatewayDeps {
  // To all services; in process.
  std::shared_ptr<grpc::Channel> channel;
  // Body of /metrics in Prometheus' text format. Called on a gateway thread; must not block.
  std::function<std::string()> metrics_text;
  // Changes whenever anything published changes. Read before a kept answer is used; must be cheap.
  std::function<int64_t()> publication_generation;
};

class Gateway {
 public:
  virtual ~Gateway() = default;  // Stops.
  // INVALID_ARGUMENT: bad address. UNAVAILABLE: the port is taken.
  static absl::StatusOr<std::unique_ptr<Gateway>> Start(const GatewayOptions& options, GatewayDeps deps);
  virtual int port() const = 0;
  // /healthz says 503, event streams end with UNAVAILABLE, requests in progress may finish within the grace, the rest
  // is cancelled. Stop it before the services behind it.
  virtual void Stop() = 0;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_GATEWAY_H_
