// The files behind artifacts: what outlives a restart, and what is tidied up.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "server/base/sha256.h"
#include "server/base/status.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/child_process.h"

namespace benchwire::storage {
namespace {

class ArtifactFilesTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteTelemetryStore> Open() {
    return SqliteTelemetryStore::Open(directory_.path() + "/telemetry.db", files_).value();
  }
  static v1::ArtifactChunk Chunk(int64_t offset, const std::string& data, const std::string& whole = "") {
    v1::ArtifactChunk chunk;
    chunk.set_path("model");
    chunk.set_media_type("text/plain");
    chunk.set_offset(offset);
    chunk.set_data(data);
    chunk.set_last(!whole.empty());
    chunk.set_size_bytes(static_cast<int64_t>(whole.size()));
    if (!whole.empty()) chunk.set_sha256(Sha256Hex(whole));
    return chunk;
  }
  // Paths of all files below `artifacts/`, without it.
  std::set<std::string> Files() const {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(files_)) {
      if (entry.is_regular_file()) out.insert(entry.path().string().substr(files_.size() + 1));
    }
    return out;
  }
  static std::string ContentFile(const std::string& bytes) {
    const std::string sha256 = Sha256Hex(bytes);
    return "content/" + sha256.substr(0, 2) + "/" + sha256;
  }

  TemporaryDirectory directory_;
  const std::string files_ = directory_.path() + "/artifacts";
  const AttemptId attempt_{"j1", 1};
};

TEST_F(ArtifactFilesTest, AnUploadGoesOnAfterEveryRestart) {
  const std::string whole = "0123456789";
  for (int64_t i = 0; i < 9; ++i) {
    const auto store = Open();
    ASSERT_EQ(
        store->Append({attempt_, i + 1, "", {}, {Chunk(i, whole.substr(static_cast<size_t>(i), 1))}})->last_sequence,
        i + 1);
  }
  ASSERT_EQ(Open()->Append({attempt_, 10, "", {}, {Chunk(9, "9", whole)}})->last_sequence, 10);
  EXPECT_EQ(Open()->ReadArtifact({attempt_, 1}, 0, 100)->data(), whole);
  EXPECT_EQ(Files(), std::set<std::string>{ContentFile(whole)});
}

TEST_F(ArtifactFilesTest, BytesBeyondTheAcknowledgedOnesAreOverwritten) {
  { ASSERT_TRUE(Open()->Append({attempt_, 1, "", {}, {Chunk(0, "01234")}}).ok()); }
  // As a crash between writing and committing leaves it.
  std::ofstream(files_ + "/partial/1", std::ios::app) << "never acknowledged";
  ASSERT_TRUE(Open()->Append({attempt_, 2, "", {}, {Chunk(5, "5", "012345")}}).ok());
  EXPECT_EQ(Open()->ReadArtifact({attempt_, 1}, 0, 100)->data(), "012345");
}

TEST_F(ArtifactFilesTest, FilesWithoutARowGoAtTheStart) {
  {
    const auto store = Open();
    ASSERT_TRUE(store->Append({attempt_, 1, "", {}, {Chunk(0, "kept", "kept")}}).ok());
    v1::ArtifactChunk open = Chunk(0, "open");
    open.set_path("open");
    ASSERT_TRUE(store->Append({attempt_, 2, "", {}, {open}}).ok());
  }
  std::ofstream(files_ + "/partial/99") << "orphan";
  std::filesystem::create_directory(files_ + "/content/ab");
  std::ofstream(files_ + "/content/ab/abcd") << "orphan";
  const auto store = Open();
  EXPECT_EQ(Files(), (std::set<std::string>{ContentFile("kept"), "partial/2"}));
}

TEST_F(ArtifactFilesTest, LostContentIsSaidToBeLost) {
  const auto store = Open();
  ASSERT_TRUE(store->Append({attempt_, 1, "", {}, {Chunk(0, "bytes", "bytes")}}).ok());
  std::filesystem::resize_file(files_ + "/" + ContentFile("bytes"), 2);
  EXPECT_EQ(ErrorReason(store->ReadArtifact({attempt_, 1}, 0, 100).status()), "CONTENT_LOST");
  std::filesystem::remove(files_ + "/" + ContentFile("bytes"));
  EXPECT_EQ(ErrorReason(store->ReadArtifact({attempt_, 1}, 0, 100).status()), "CONTENT_LOST");
}

TEST_F(ArtifactFilesTest, AcknowledgedPartsOutliveAKilledProcess) {
  const std::string part(50'000, 'p');
  ChildProcess writer([&](const ChildProcess::Say& say) {
    const auto store = Open();
    for (int64_t i = 0;; ++i) {
      const auto cursor = store->Append({attempt_, i + 1, "", {}, {Chunk(i * 50'000, part)}});
      if (cursor.ok()) say(std::to_string(cursor->last_sequence));
    }
  });
  int64_t last = 0;
  const auto read = [&] {
    const auto line = writer.ReadLine();
    if (line.has_value()) last = std::stoll(*line);
    return line.has_value();
  };
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(read());
  writer.Kill();
  while (read()) continue;
  const auto store = Open();
  const int64_t stored = store->GetCursor(attempt_)->last_sequence;
  ASSERT_GE(stored, last);
  std::string whole;
  for (int64_t i = 0; i < stored; ++i) whole += part;
  ASSERT_TRUE(store->Append({attempt_, stored + 1, "", {}, {Chunk(stored * 50'000, "", whole)}}).ok());
  EXPECT_TRUE(store->ReadArtifact({attempt_, 1}, 0, INT64_MAX)->data() == whole);
}

}  // namespace
}  // namespace benchwire::storage
