#include <gtest/gtest.h>

#include <cmath>

#include "clients/cli/exit_codes.h"
#include "clients/cli/wait.h"
#include "server/base/clock.h"

namespace benchwire::cli {
namespace {

TEST(ProgressText, ShowsBarPercentMessageAndRest) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_RUNNING);
  job.mutable_progress()->set_fraction(0.5);
  job.mutable_progress()->set_message("bw.unidir.write");
  *job.mutable_progress()->mutable_remaining() = ToProto(std::chrono::seconds(12));
  EXPECT_EQ(ProgressText(job), "RUNNING  [##########----------]  50 %  bw.unidir.write  12 s left");
}

TEST(ProgressText, TakesAnyFraction) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_RUNNING);
  for (const double fraction : {-3.0, 0.0, 1.0, 7.5, std::nan(""), HUGE_VAL}) {
    job.mutable_progress()->set_fraction(fraction);
    EXPECT_EQ(ProgressText(job).size(), std::string("RUNNING  [####################] 100 %").size()) << fraction;
  }
}

TEST(ProgressText, QueuedJobHasNoBar) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_QUEUED);
  job.mutable_progress()->set_fraction(0.5);  // Of an attempt that was lost.
  EXPECT_EQ(ProgressText(job), "QUEUED");
}

TEST(ExitCodes, TellTheEndOfAJob) {
  EXPECT_EQ(ExitCodeOf(v1::JOB_STATE_SUCCEEDED), 0);
  EXPECT_EQ(ExitCodeOf(v1::JOB_STATE_FAILED), kExitJobFailed);
  EXPECT_EQ(ExitCodeOf(v1::JOB_STATE_TIMED_OUT), kExitJobFailed);
  EXPECT_EQ(ExitCodeOf(v1::JOB_STATE_CANCELLED), kExitJobCancelled);
}

}  // namespace
}  // namespace benchwire::cli
