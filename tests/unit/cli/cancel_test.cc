#include "clients/cpp/cancel.h"

#include <gtest/gtest.h>

#include <thread>

namespace benchwire::client {
namespace {

TEST(CancelToken, EndsAWaitAndRunsCallbacksOnce) {
  CancelToken token;
  int called = 0;
  CancelToken::Registration registration(token, [&] { ++called; });
  EXPECT_FALSE(token.WaitFor(std::chrono::milliseconds(1)));
  std::thread other([&] { token.Cancel(); });
  EXPECT_TRUE(token.WaitFor(std::chrono::hours(1)));
  other.join();
  token.Cancel();
  EXPECT_EQ(called, 1);
}

TEST(CancelToken, LateAndEndedRegistrations) {
  CancelToken token;
  int ended = 0;
  {
    CancelToken::Registration registration(token, [&] { ++ended; });
  }
  token.Cancel();
  EXPECT_EQ(ended, 0);
  int late = 0;
  CancelToken::Registration registration(token, [&] { ++late; });
  EXPECT_EQ(late, 1);
}

}  // namespace
}  // namespace benchwire::client
