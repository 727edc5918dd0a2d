#include "server/base/resource_name.h"

#include <gtest/gtest.h>

namespace benchwire {
namespace {

TEST(ResourceName, RoundTrips) {
  EXPECT_EQ(JobName(*ParseJobName("name", "jobs/01abc")), "jobs/01abc");
  EXPECT_EQ(AttemptName(*ParseAttemptName("name", "jobs/01abc/attempts/12")), "jobs/01abc/attempts/12");
  EXPECT_EQ(SeriesName(*ParseSeriesName("name", "jobs/a/attempts/1/series/34")), "jobs/a/attempts/1/series/34");
  EXPECT_EQ(ArtifactName(*ParseArtifactName("name", "jobs/a/attempts/1/artifacts/2")), "jobs/a/attempts/1/artifacts/2");
  EXPECT_EQ(WorkerName(*ParseWorkerName("name", "workers/a-1")), "workers/a-1");
  EXPECT_EQ(DigestName(*ParseDigestName("name", "digests/2026-01-14")), "digests/2026-01-14");
  EXPECT_EQ(EntryName(*ParseEntryName("name", "digests/2026-01-14/entries/e-1")), "digests/2026-01-14/entries/e-1");
  EXPECT_EQ(EditionName(*ParseEditionName("name", "digests/2026-01-14/editions/3")), "digests/2026-01-14/editions/3");
}

TEST(ResourceName, RefusesWhatIsNotAName) {
  for (const char* name :
       {"", "jobs", "jobs/", "jobs/A", "jobs/a/b", "jobs/../x", "jobs/%2e", "job/a", " jobs/a", "jobs/a "}) {
    EXPECT_FALSE(ParseJobName("name", name).ok()) << name;
  }
  EXPECT_FALSE(ParseJobName("name", std::string("jobs/a\0b", 8)).ok());
  EXPECT_FALSE(ParseJobName("name", "jobs/" + std::string(64, 'a')).ok());
  for (const char* name : {"jobs/a/attempts/0", "jobs/a/attempts/-1", "jobs/a/attempts/01",
                           "jobs/a/attempts/9223372036854775808", "jobs/a/attempts/1/", "jobs/a/attempts/x"}) {
    EXPECT_FALSE(ParseAttemptName("name", name).ok()) << name;
  }
  for (const char* name : {"jobs/a/attempts/1", "jobs/a/attempts/1/series/", "jobs/a/attempts/1/series/0",
                           "jobs/a/attempts/0/series/1", "jobs/a/attempts/1/series/1/x"}) {
    EXPECT_FALSE(ParseSeriesName("name", name).ok()) << name;
    EXPECT_FALSE(ParseArtifactName("name", name).ok()) << name;
  }
}

TEST(ResourceName, OnlyDaysThatExist) {
  EXPECT_TRUE(IsDay("2024-02-29"));
  for (const char* day :
       {"2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-1-1", "20260114", "2026-01-1x", "1899-01-01"}) {
    EXPECT_FALSE(IsDay(day)) << day;
  }
}

}  // namespace
}  // namespace benchwire
