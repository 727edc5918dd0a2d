#include "clients/cli/entry_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/cli/json.h"

namespace benchwire::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(EditorArguments, VisualComesBeforeEditorBeforeVi) {
  EXPECT_EQ(EditorArguments("emacs", "nano", "f")[2], "emacs \"$@\"");
  EXPECT_EQ(EditorArguments(nullptr, "nano", "f")[2], "nano \"$@\"");
  EXPECT_EQ(EditorArguments("", "", "f")[2], "vi \"$@\"");
}

TEST(EditorArguments, IsACommandLine) {
  EXPECT_THAT(EditorArguments(nullptr, "code --wait", "/tmp/x"),
              ElementsAre("/bin/sh", "-c", "code --wait \"$@\"", "code --wait", "/tmp/x"));
}

TEST(EditableJson, HasNameAndEtagButNothingComputed) {
  v1::Entry entry;
  entry.set_name("digests/2026-01-14/entries/a");
  entry.set_etag("5");
  entry.mutable_create_time()->set_seconds(1);
  entry.add_claims()->mutable_evaluation()->set_verdict(v1::VERDICT_SUPPORTED);
  const std::string json = *EditableJson(entry);
  EXPECT_THAT(json, HasSubstr("\"etag\": \"5\""));
  EXPECT_THAT(json, Not(HasSubstr("createTime")));
  EXPECT_THAT(json, Not(HasSubstr("SUPPORTED")));
}

TEST(ParseEdited, RefusesAnotherNameAndUnknownFields) {
  const std::string name = "digests/2026-01-14/entries/a";
  EXPECT_TRUE(ParseEdited("f", R"({"category": "GPU"})", name).ok());
  EXPECT_THAT(std::string(ParseEdited("f", R"({"name": "digests/2026-01-14/entries/b"})", name).status().message()),
              HasSubstr("cannot be renamed"));
  EXPECT_THAT(std::string(ParseEdited("f", R"({"categry": "GPU"})", name).status().message()), HasSubstr("categry"));
}

TEST(Normalised, DropsByteOrderMarkAndCarriageReturns) {
  EXPECT_EQ(Normalised("\xEF\xBB\xBF"
                       "a\r\nb\rc\n"),
            "a\nb\nc\n");
  EXPECT_EQ(Normalised(""), "");
}

}  // namespace
}  // namespace benchwire::cli
