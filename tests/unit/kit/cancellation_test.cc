#include "workers/kit/cancellation.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace benchwire::kit {
namespace {

TEST(CancellationTest, SignalsAreSeenAndDoNotKill) {
  for (int signal : {SIGTERM, SIGINT}) {
    Cancellation cancellation;
    EXPECT_FALSE(cancellation.requested());
    ASSERT_EQ(kill(getpid(), signal), 0);
    EXPECT_TRUE(cancellation.requested());
    EXPECT_TRUE(cancellation.requested());
  }
}

}  // namespace
}  // namespace benchwire::kit
