#include "server/base/artifact_path.h"

#include <gtest/gtest.h>

#include <string>

namespace benchwire {
namespace {

TEST(ArtifactPath, StaysBelowItsDirectory) {
  for (const char* path : {"a", "a/b.txt", "..a/.b", "a..", "数据/表.csv", "with space", "a%2e%2e/b", "a;b", "..."}) {
    EXPECT_TRUE(IsArtifactPath(path)) << path;
  }
  for (const char* path : {"", "/", "/etc/passwd", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a/.",
                           "a\\b", "..\\a", "a\nb", "a\x7f"}) {
    EXPECT_FALSE(IsArtifactPath(path)) << path;
  }
  EXPECT_FALSE(IsArtifactPath(std::string_view("a\0b", 3)));
  EXPECT_TRUE(IsArtifactPath(std::string(512, 'a')));
  EXPECT_FALSE(IsArtifactPath(std::string(513, 'a')));
}

TEST(ArtifactPath, MediaTypesHaveNoRoomForHeaders) {
  for (const char* type : {"text/csv", "application/vnd.api+json", "application/octet-stream", "image/svg+xml"}) {
    EXPECT_TRUE(IsMediaType(type)) << type;
  }
  for (const char* type : {"", "text", "/", "text/", "/csv", "text/csv; charset=x", "text/csv\r\nSet-Cookie: a=b",
                           "text /csv", "a/b/c", "text/\xe4"}) {
    EXPECT_FALSE(IsMediaType(type)) << type;
  }
  EXPECT_FALSE(IsMediaType("text/" + std::string(123, 'a')));
}

}  // namespace
}  // namespace benchwire
