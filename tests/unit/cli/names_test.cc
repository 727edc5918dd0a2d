#include "clients/cli/names.h"

#include <gtest/gtest.h>

namespace benchwire::cli {
namespace {

constexpr char kToday[] = "2026-01-14";

TEST(Names, ShortAndFullFormsAreTheSame) {
  EXPECT_EQ(*JobArgument("01abc"), "jobs/01abc");
  EXPECT_EQ(*JobArgument("jobs/01abc"), "jobs/01abc");
  EXPECT_EQ(*WorkerArgument("node-1"), "workers/node-1");
  EXPECT_EQ(*WorkerArgument("workers/node-1"), "workers/node-1");
  EXPECT_EQ(*DigestArgument("2026-02-03", kToday), "digests/2026-02-03");
  EXPECT_EQ(*DigestArgument("digests/2026-02-03", kToday), "digests/2026-02-03");
  EXPECT_EQ(*EntryArgument("2026-02-03/p2p", kToday), "digests/2026-02-03/entries/p2p");
  EXPECT_EQ(*EntryArgument("digests/2026-02-03/entries/p2p", kToday), "digests/2026-02-03/entries/p2p");
  EXPECT_EQ(*AttemptArgument("01abc/attempts/2"), "jobs/01abc/attempts/2");
}

TEST(Names, TodayIsTheCallersDay) {
  EXPECT_EQ(*DigestArgument("today", kToday), "digests/2026-01-14");
  EXPECT_EQ(*EntryArgument("today/p2p", kToday), "digests/2026-01-14/entries/p2p");
}

TEST(Names, ErrorsShowWhatWasTyped) {
  EXPECT_EQ(
      std::string(DigestArgument("2026-02-30", kToday).status().message()),
      "digest: '2026-02-30' is not valid; expected a day that exists such as 2026-01-14, digests/2026-01-14 or today");
  for (const char* text : {"", "jobs/", "a b", "-x", "workers/x", "../x", "ABC"})
    EXPECT_FALSE(JobArgument(text).ok()) << text;
  for (const char* text : {"", "p2p", "2026-01-14", "2026-01-14/", "2026-01-14/A", "2026-01-14/a/b"}) {
    EXPECT_FALSE(EntryArgument(text, kToday).ok()) << text;
  }
  EXPECT_FALSE(AttemptArgument("01abc/attempts/0").ok());
}

}  // namespace
}  // namespace benchwire::cli
