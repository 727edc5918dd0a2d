#include "clients/cpp/retry.h"

#include <gtest/gtest.h>

#include "server/base/status.h"

namespace benchwire::client {
namespace {

using std::chrono::milliseconds;

TEST(RetryDelay, GrowsUpToTheLimitAndThenEnds) {
  const RetryPolicy policy{.max_attempts = 5, .initial_delay = milliseconds(100), .max_delay = milliseconds(300)};
  const absl::Status down = absl::UnavailableError("down");
  EXPECT_EQ(RetryDelay(policy, 1, down, 0.5), milliseconds(50));
  EXPECT_EQ(RetryDelay(policy, 2, down, 0.5), milliseconds(100));
  EXPECT_EQ(RetryDelay(policy, 3, down, 0.5), milliseconds(150));
  EXPECT_EQ(RetryDelay(policy, 4, down, 0.5), milliseconds(150));
  EXPECT_EQ(RetryDelay(policy, 5, down, 0.5), std::nullopt);
  EXPECT_EQ(RetryDelay(policy, 1, down, 0), milliseconds(0));
}

TEST(RetryDelay, OnlyForErrorsThatMayPass) {
  const RetryPolicy policy;
  EXPECT_TRUE(RetryDelay(policy, 1, absl::DeadlineExceededError(""), 0).has_value());
  EXPECT_EQ(RetryDelay(policy, 1, absl::NotFoundError(""), 0), std::nullopt);
  EXPECT_EQ(RetryDelay(policy, 1, absl::ResourceExhaustedError(""), 0), std::nullopt);
}

TEST(RetryDelay, TheServersDelayIsTheLeast) {
  const RetryPolicy policy;
  const absl::Status full = WithRetryAfter(absl::ResourceExhaustedError("queue full"), milliseconds(1'500));
  EXPECT_EQ(RetryDelay(policy, 1, full, 0), milliseconds(1'500));
  EXPECT_EQ(RetryDelay(policy, 1, full, 0.5), milliseconds(1'600));
  // A pause of ten minutes is told to the caller, not slept.
  EXPECT_EQ(RetryDelay(policy, 1, WithRetryAfter(full, milliseconds(600'000)), 0), std::nullopt);
}

}  // namespace
}  // namespace benchwire::client
