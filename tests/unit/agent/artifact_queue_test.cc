#include "workers/agent/artifact_queue.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "server/base/sha256.h"
#include "server/base/status.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::agent {
namespace {

class ArtifactQueueTest : public testing::Test {
 protected:
  ArtifactQueueTest() {
    std::filesystem::create_directories(work_ + "/out/deep");
    queue_.SetDirectory(work_);
  }
  void Write(const std::string& path, const std::string& bytes) const {
    std::ofstream(work_ + "/" + path, std::ios::binary) << bytes;
  }
  static v1::ArtifactFile File(const std::string& path, const std::string& media_type = "") {
    v1::ArtifactFile file;
    file.set_path(path);
    file.set_media_type(media_type);
    return file;
  }
  // The message of the refusal; empty where it was taken.
  std::string Refusal(const std::string& path, const std::string& media_type = "") {
    const absl::Status status = queue_.Add(File(path, media_type));
    EXPECT_TRUE(status.ok() || ErrorReason(status) == "BAD_FIELD") << status;
    return std::string(status.message());
  }

  TemporaryDirectory directory_;
  const std::string work_ = directory_.path() + "/work";
  ArtifactQueue queue_{{.files = 3, .bytes = 1'000, .piece = 100}};
};

TEST_F(ArtifactQueueTest, FilesComeInPartsThatAddUp) {
  std::string whole;
  for (int i = 0; i < 250; ++i) whole += static_cast<char>(i);
  Write("out/deep/a.bin", whole);
  Write("empty", "");
  EXPECT_EQ(Refusal("out/deep/a.bin", "text/csv"), "");
  EXPECT_EQ(Refusal("empty"), "");
  std::string got;
  for (int part = 0; part < 3; ++part) {
    const v1::ArtifactChunk chunk = queue_.Next().value();
    EXPECT_EQ(chunk.path(), "out/deep/a.bin");
    EXPECT_EQ(chunk.media_type(), "text/csv");
    EXPECT_EQ(chunk.offset(), static_cast<int64_t>(got.size()));
    got += chunk.data();
    EXPECT_EQ(chunk.last(), part == 2);
    EXPECT_EQ(chunk.sha256(), part == 2 ? Sha256Hex(whole) : "");
    EXPECT_EQ(chunk.size_bytes(), part == 2 ? 250 : 0);
  }
  EXPECT_EQ(got, whole);
  const v1::ArtifactChunk empty = queue_.Next().value();
  EXPECT_TRUE(empty.last());
  EXPECT_EQ(empty.media_type(), "application/octet-stream");
  EXPECT_EQ(empty.sha256(), Sha256Hex(""));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(ArtifactQueueTest, NothingOutsideCanBeNamed) {
  std::ofstream(directory_.path() + "/secret") << "secret";
  std::filesystem::create_symlink("../secret", work_ + "/link");
  std::filesystem::create_directory_symlink("..", work_ + "/out/up");
  std::filesystem::create_symlink("out", work_ + "/inside");
  ASSERT_EQ(mkfifo((work_ + "/fifo").c_str(), 0600), 0);
  for (const char* path : {"", "/etc/passwd", "../secret", "out/../../secret", "./out", "link", "out/up/secret",
                           "inside/deep", "fifo", "out", "out/deep", "missing", "missing/file", "out\\deep"}) {
    EXPECT_NE(Refusal(path).find("artifact.path"), std::string::npos) << path;
  }
  EXPECT_TRUE(queue_.empty());
  Write("x", "x");
  EXPECT_NE(Refusal("x", "text/html; charset=x").find("artifact.media_type"), std::string::npos);
  EXPECT_EQ(Refusal("x"), "");
}

TEST_F(ArtifactQueueTest, NumberSizeAndRepetitionAreLimited) {
  Write("a", std::string(600, 'a'));
  Write("b", std::string(401, 'b'));
  Write("c", std::string(400, 'c'));
  Write("d", "");
  EXPECT_EQ(Refusal("a"), "");
  EXPECT_NE(Refusal("a").find("not named before"), std::string::npos);
  EXPECT_NE(Refusal("b").find("at most 1000 bytes in all, not 1001"), std::string::npos);
  EXPECT_EQ(Refusal("c"), "");
  EXPECT_EQ(Refusal("d"), "");
  EXPECT_NE(Refusal("b").find("at most 3 artifacts"), std::string::npos);
}

TEST_F(ArtifactQueueTest, AFileThatIsGoneIsStillReadAndOneThatShrinksIsAnError) {
  Write("gone", "still here");
  ASSERT_EQ(Refusal("gone"), "");
  std::filesystem::remove(work_ + "/gone");
  EXPECT_EQ(queue_.Next()->data(), "still here");
  Write("shrinks", std::string(300, 's'));
  ASSERT_EQ(Refusal("shrinks"), "");
  EXPECT_TRUE(queue_.Next().ok());
  std::filesystem::resize_file(work_ + "/shrinks", 120);
  EXPECT_NE(std::string(queue_.Next().status().message()).find("became shorter"), std::string::npos);
}

}  // namespace
}  // namespace benchwire::agent
