#include "clients/cpp/retry.h"

#include <google/rpc/error_details.pb.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "clients/cpp/channel.h"
#include "server/base/clock.h"
#include "server/base/status.h"

namespace benchwire::client {

std::optional<std::chrono::milliseconds> ServerRetryDelay(const absl::Status& status) {
  const auto payload = status.GetPayload(kTypeUrlPrefix + google::rpc::RetryInfo::descriptor()->full_name());
  google::rpc::RetryInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(FromProto(info.retry_delay()));
  return std::max(delay, std::chrono::milliseconds(0));
}

bool MayRetry(const absl::Status& status) { return IsTransient(status) || ServerRetryDelay(status).has_value(); }

std::optional<std::chrono::milliseconds> RetryDelay(const RetryPolicy& policy, int failures, const absl::Status& status,
                                                    double jitter) {
  if (!MayRetry(status) || failures >= policy.max_attempts) return std::nullopt;
  const auto least = ServerRetryDelay(status).value_or(std::chrono::milliseconds(0));
  if (least > policy.max_server_delay) return std::nullopt;
  const double ceiling =
      std::min(static_cast<double>(policy.max_delay.count()),
               std::ldexp(static_cast<double>(policy.initial_delay.count()), std::min(failures - 1, 30)));
  return least + std::chrono::milliseconds(static_cast<int64_t>(ceiling * jitter));
}

}  // namespace benchwire::client
