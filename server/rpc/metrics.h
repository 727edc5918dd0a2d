// Counts and latencies of calls, for /metrics. Any thread.
#ifndef BENCHWIRE_SERVER_RPC_METRICS_H_
#define BENCHWIRE_SERVER_RPC_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/base/mutex.h"

namespace benchwire::rpc {

class CallMetrics {
 public:
  explicit CallMetrics(prometheus::Registry& registry);

  // A call of `method` has ended.
  void Record(const std::string& method, absl::StatusCode code, std::chrono::nanoseconds duration);

 private:
  struct OfMethod {
    prometheus::Histogram* seconds = nullptr;
    std::map<absl::StatusCode, prometheus::Counter*> calls;
  };

  prometheus::Family<prometheus::Counter>& calls_;
  prometheus::Family<prometheus::Histogram>& seconds_;
  Mutex mutex_;
  std::map<std::string, OfMethod> methods_ GUARDED_BY(mutex_);
};

// All metrics in Prometheus's text format.
std::string MetricsText(const prometheus::Registry& registry);

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_METRICS_H_
