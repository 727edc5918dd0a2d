// The power fails under the stores from some seeds (main.cc runs more); and the layer sees it where a sync is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/sqlite/store.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/faults/power_loss/trial.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::faults {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

TEST(PowerLossTest, WhatWasAcknowledgedIsThere) {
  PowerLossVfs vfs;
  int failures = 0;
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    const Outcome outcome = FailUnderStores(vfs, seed);
    EXPECT_THAT(outcome.breaches, IsEmpty()) << "seed=" << seed;
    failures += outcome.failed;
  }
  EXPECT_GT(failures, 5);
}

TEST(PowerLossTest, AMissingSyncIsSeen) {
  PowerLossVfs vfs;
  std::vector<std::string> with_syncs, without;
  int failures = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Outcome full = FailUnderTable(vfs, seed, "FULL");
    failures += full.failed;
    with_syncs.insert(with_syncs.end(), full.breaches.begin(), full.breaches.end());
    const Outcome off = FailUnderTable(vfs, seed, "OFF");
    without.insert(without.end(), off.breaches.begin(), off.breaches.end());
  }
  EXPECT_GT(failures, 10);
  EXPECT_THAT(with_syncs, IsEmpty());
  EXPECT_THAT(without, Contains(StartsWith("LOST")));
}

// The process of the store ends by itself, with nothing answered.
TEST(SyncFailureDeathTest, NothingIsWrittenAfterAFailedSync) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const TemporaryDirectory directory;
  EXPECT_EXIT(
      {
        PowerLossVfs vfs;
        const auto store = storage::SqliteStore::Open(directory.path() + "/main.db", [] {}).value();
        const bool before = storage::WriteJob(*store, "before").ok();
        vfs.FailSyncs();
        (void)storage::WriteJob(*store, "after");
        std::_Exit(before ? 2 : 3);
      },
      testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace benchwire::faults
