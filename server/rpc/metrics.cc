#include "server/rpc/metrics.h"

#include <prometheus/text_serializer.h>

#include <sstream>

namespace benchwire::rpc {
namespace {

// Seconds. From an in-memory answer to a long poll.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                                   0.025,  0.05,    0.1,    0.25,  1,      5,     30};
  return kBuckets;
}

}  // namespace

CallMetrics::CallMetrics(prometheus::Registry& registry)
    : calls_(prometheus::BuildCounter()
                 .Name("benchwire_calls_total")
                 .Help("Calls ended, by method and status code.")
                 .Register(registry)),
      seconds_(prometheus::BuildHistogram()
                   .Name("benchwire_call_seconds")
                   .Help("Time from the start to the end of a call, by method.")
                   .Register(registry)) {}

void CallMetrics::Record(const std::string& method, absl::StatusCode code, std::chrono::nanoseconds duration) {
  prometheus::Histogram* seconds = nullptr;
  prometheus::Counter* calls = nullptr;
  {
    MutexLock lock(mutex_);
    OfMethod& of = methods_[method];
    if (of.seconds == nullptr) of.seconds = &seconds_.Add({{"method", method}}, Buckets());
    prometheus::Counter*& counter = of.calls[code];
    if (counter == nullptr) counter = &calls_.Add({{"method", method}, {"code", absl::StatusCodeToString(code)}});
    seconds = of.seconds;
    calls = counter;
  }
  seconds->Observe(std::chrono::duration<double>(duration).count());
  calls->Increment();
}

std::string MetricsText(const prometheus::Registry& registry) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, registry.Collect());
  return out.str();
}

}  // namespace benchwire::rpc
