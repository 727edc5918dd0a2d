#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "storage/sqlite/schema.h"
#include "storage/sqlite/store.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::storage {
namespace {

absl::StatusOr<std::unique_ptr<SqliteStore>> OpenMain(const std::string& path) {
  return SqliteStore::Open(path, [] {});
}

class SqliteStoreTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/main.db";
};

TEST_F(SqliteStoreTest, ReopeningKeepsEverything) {
  for (int round = 1; round <= 3; ++round) {
    const auto store = OpenMain(path_);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_EQ(WriteJob(**store, "j" + std::to_string(round)), absl::OkStatus());
    std::vector<std::string> ids;
    for (int i = 1; i <= round; ++i) ids.push_back("j" + std::to_string(i));
    EXPECT_EQ(CheckJobs(**store, ids), absl::OkStatus());
  }
}

TEST_F(SqliteStoreTest, ReopeningKeepsTelemetry) {
  const AttemptId attempt{"j1", 1};
  for (int64_t sequence = 1; sequence <= 3; ++sequence) {
    const auto store = SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts");
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->GetCursor(attempt)->last_sequence, sequence - 1);
    EXPECT_EQ((*store)->Append({attempt, sequence, "行\n", Grouped({Point("loss", sequence, 1)})})->last_sequence,
              sequence);
    EXPECT_EQ((*store)->ReadLog(attempt, 0, INT64_MAX)->size(), static_cast<size_t>(4 * sequence));
    EXPECT_EQ((*store)->ReadSeries({attempt, 1})->points.size(), static_cast<size_t>(sequence));
  }
}

TEST_F(SqliteStoreTest, PathsMayHoldSpacesQuotesAndChinese) {
  for (const char* name : {"with space", "it's", "数据 目录", "a=b;c timeout=0", "back\\slash", "100% #?&"}) {
    const std::string directory = directory_.path() + "/" + name;
    std::filesystem::create_directory(directory);
    {
      const auto store = OpenMain(directory + "/main.db");
      ASSERT_TRUE(store.ok()) << name << store.status();
      EXPECT_EQ(WriteJob(**store, "j1"), absl::OkStatus());
    }
    EXPECT_TRUE(std::filesystem::exists(directory + "/main.db")) << name;
    EXPECT_EQ(CheckJobs(**OpenMain(directory + "/main.db"), {"j1"}), absl::OkStatus()) << name;
  }
  const absl::Status refused = OpenMain(directory_.path() + "/dou\"ble.db").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
}

TEST_F(SqliteStoreTest, ANewerDatabaseIsRefusedAndLeftAlone) {
  ASSERT_TRUE(OpenMain(path_).ok());
  auto connection = Connection::Open(path_, Access::kReadWrite);
  ASSERT_TRUE(connection.ok());
  ASSERT_EQ((*connection)->Execute("PRAGMA user_version=1000"), absl::OkStatus());
  EXPECT_EQ(ErrorReason(OpenMain(path_).status()), "NEWER_DATABASE");
  EXPECT_EQ(ErrorReason(SqliteTelemetryStore::Open(path_, directory_.path() + "/artifacts").status()),
            "NEWER_DATABASE");
  int version = 0;
  (*connection)->session() << "PRAGMA user_version", soci::into(version);
  EXPECT_EQ(version, 1000);
}

TEST_F(SqliteStoreTest, AFileThatIsNoDatabaseIsReported) {
  FILE* file = fopen(path_.c_str(), "w");
  ASSERT_NE(file, nullptr);
  fputs(std::string(8192, 'x').c_str(), file);
  fclose(file);
  const absl::Status status = OpenMain(path_).status();
  EXPECT_EQ(ErrorReason(status), "DATABASE_CORRUPT") << status;
}

TEST_F(SqliteStoreTest, MigrationsRunOnceInOrderAndAfterAFailureAgain) {
  auto connection = Connection::Open(path_, Access::kReadWrite).value();
  const std::vector<Migration> first = {{1, "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)"}};
  ASSERT_EQ(connection->Migrate(first), absl::OkStatus());
  ASSERT_EQ(connection->Migrate(first), absl::OkStatus());
  std::vector<Migration> broken = first;
  broken.push_back({2, "INSERT INTO a VALUES (2); INSERT INTO nosuch VALUES (1)"});
  EXPECT_FALSE(connection->Migrate(broken).ok());
  const auto sum = [&] {
    int out = 0;
    connection->session() << "SELECT SUM(x) FROM a", soci::into(out);
    return out;
  };
  EXPECT_EQ(sum(), 1);
  std::vector<Migration> fixed = first;
  fixed.push_back({2, "INSERT INTO a VALUES (2)"});
  fixed.push_back({3, "UPDATE a SET x = x * 10"});
  ASSERT_EQ(connection->Migrate(fixed), absl::OkStatus());
  ASSERT_EQ(connection->Migrate(fixed), absl::OkStatus());
  EXPECT_EQ(sum(), 30);
  EXPECT_EQ(ErrorReason(connection->Migrate(first)), "NEWER_DATABASE");
}

TEST_F(SqliteStoreTest, MigrationsAreNumberedWithoutGaps) {
  for (const std::vector<Migration>& migrations : {MainMigrations(), TelemetryMigrations()}) {
    for (size_t i = 0; i < migrations.size(); ++i) EXPECT_EQ(migrations[i].number, static_cast<int>(i + 1));
  }
}

TEST_F(SqliteStoreTest, JobsOfTheFirstVersionAreEachScheduled) {
  {
    auto connection = Connection::Open(path_, Access::kReadWrite).value();
    ASSERT_EQ(connection->Migrate({MainMigrations()[0]}), absl::OkStatus());
    for (const char* id : {"a", "b"}) {
      const absl::Status inserted = connection->Execute(
          std::string("INSERT INTO jobs (id, state, priority, queued_at, resource, spec, attempt, epoch, token, "
                      "worker, incarnation, lease_request, revision) VALUES ('") +
          id + "', 1, 50, 1, x'', x'', 0, 0, '', '', '', '', 1)");
      ASSERT_EQ(inserted, absl::OkStatus());
    }
  }
  const auto store = OpenMain(path_);
  ASSERT_TRUE(store.ok()) << store.status();
  const absl::Status read = (*store)->Read([](const View& view) -> absl::Status {
    // Nothing is known of what they need, so none may hide the others.
    ASSIGN_OR_RETURN(const auto queued, view.jobs().ListQueued(1'000, 1));
    EXPECT_EQ(queued.size(), 2u);
    ASSIGN_OR_RETURN(const auto expired, view.jobs().ListExpired(INT64_MAX, 10));
    EXPECT_TRUE(expired.empty());
    return absl::OkStatus();
  });
  EXPECT_EQ(read, absl::OkStatus());
}

TEST_F(SqliteStoreTest, AReaderCannotWrite) {
  ASSERT_TRUE(OpenMain(path_).ok());
  auto reader = Connection::Open(path_, Access::kReadOnly).value();
  EXPECT_FALSE(reader->Execute("DELETE FROM jobs").ok());
}

TEST_F(SqliteStoreTest, AMisspeltColumnIsAnError) {
  auto connection = Connection::Open(path_, Access::kReadWrite).value();
  ASSERT_EQ(connection->Migrate(MainMigrations()), absl::OkStatus());
  EXPECT_FALSE(connection->Execute("SELECT \"nosuch\" FROM jobs").ok());
}

}  // namespace
}  // namespace benchwire::storage
