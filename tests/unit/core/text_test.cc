// The pure checks of what callers write, and the marks between pages.
#include <gtest/gtest.h>

#include <limits>

#include "server/base/status.h"
#include "server/core/entry_text.h"
#include "server/core/page_token.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

std::string Field(const absl::Status& status) { return ErrorMetadata(status, "field").value_or(""); }

v1::Entry Written() {
  v1::Entry entry;
  entry.mutable_title()->set_zh("标题");
  entry.mutable_title()->set_en("Title");
  entry.mutable_body()->set_en("Body");
  entry.set_category("GPU");
  entry.add_tags("one");
  entry.set_position(3);
  return entry;
}

absl::Status Apply(const v1::Entry& update, const std::vector<std::string>& paths, v1::Entry& entry) {
  google::protobuf::FieldMask mask;
  for (const std::string& path : paths) mask.add_paths(path);
  return ApplyEntryUpdate(update, mask, entry);
}

TEST(ApplyEntryUpdate, TakesWhatTheMaskNamesAndClearsWhatIsNotSet) {
  v1::Entry update, entry = Written();
  update.mutable_title()->set_en("New");
  update.set_category("NAS");
  update.add_tags("two");
  ASSERT_TRUE(Apply(update, {"title.en", "tags"}, entry).ok());
  EXPECT_EQ(entry.title().en(), "New");
  EXPECT_EQ(entry.title().zh(), "标题");
  EXPECT_EQ(entry.category(), "GPU");
  ASSERT_EQ(entry.tags_size(), 1);  // Replaced, not added to.
  EXPECT_EQ(entry.tags(0), "two");
  ASSERT_TRUE(Apply(update, {"title", "body", "position"}, entry).ok());
  EXPECT_EQ(entry.title().zh(), "");
  EXPECT_FALSE(entry.has_body());
  EXPECT_EQ(entry.position(), 0);
  EXPECT_EQ(entry.category(), "GPU");
}

TEST(ApplyEntryUpdate, NoMaskAndTheStarAreEveryFieldACallerMaySet) {
  for (const std::vector<std::string>& paths : {std::vector<std::string>(), std::vector<std::string>{"*"}}) {
    v1::Entry update, entry = Written();
    entry.set_name("digests/2026-01-14/entries/a");
    entry.mutable_create_time()->set_seconds(1);
    update.set_name("other");
    update.mutable_title()->set_en("New");
    ASSERT_TRUE(Apply(update, paths, entry).ok());
    EXPECT_EQ(entry.title().en(), "New");
    EXPECT_EQ(entry.title().zh(), "");
    EXPECT_FALSE(entry.has_body());
    EXPECT_EQ(entry.tags_size(), 0);
    EXPECT_EQ(entry.name(), "digests/2026-01-14/entries/a");
    EXPECT_EQ(entry.create_time().seconds(), 1);
  }
}

TEST(ApplyEntryUpdate, APathThatIsNoFieldOfAWriterIsRefusedAndChangesNothing) {
  for (const char* path : {"titel", "title.fr", "Title", "", "claims.id", "*,"}) {
    v1::Entry entry = Written();
    const absl::Status status = Apply({}, {"category", path}, entry);
    EXPECT_EQ(Field(status), "update_mask") << path;
    EXPECT_EQ(entry.category(), "GPU") << path;
  }
}

TEST(ApplyEntryUpdate, OutputOnlyFieldsArePassedOver) {
  v1::Entry entry = Written();
  entry.set_name("digests/2026-01-14/entries/a");
  v1::Entry update;
  update.set_name("other");
  update.set_category("NAS");
  update.mutable_update_time()->set_seconds(7);
  ASSERT_TRUE(Apply(update, {"name", "etag", "create_time", "update_time.seconds", "category"}, entry).ok());
  EXPECT_EQ(entry.name(), "digests/2026-01-14/entries/a");
  EXPECT_EQ(entry.category(), "NAS");
  EXPECT_FALSE(entry.has_update_time());
}

TEST(ResolveEntry, FillsTheStateAndNamesWhatIsWrong) {
  v1::Entry good = Written();
  ASSERT_TRUE(ResolveEntry(good).ok());
  EXPECT_EQ(good.state(), v1::ENTRY_STATE_DRAFT);
  struct Case {
    const char* field;
    void (*set)(v1::Entry&);
  };
  for (const Case& c : {
           Case{"entry.title", [](v1::Entry& e) { e.clear_title(); }},
           Case{"entry.title.zh", [](v1::Entry& e) { e.mutable_title()->set_zh(std::string(513, 'x')); }},
           Case{"entry.title.en", [](v1::Entry& e) { e.mutable_title()->set_en("two\nlines"); }},
           Case{"entry.body.en", [](v1::Entry& e) { e.mutable_body()->set_en(std::string("a\0", 2)); }},
           Case{"entry.body.zh", [](v1::Entry& e) { e.mutable_body()->set_zh(std::string((256 << 10) + 1, 'x')); }},
           Case{"entry.tags", [](v1::Entry& e) { e.add_tags(""); }},
           Case{"entry.sources.uri", [](v1::Entry& e) { e.add_sources()->set_uri("javascript:alert(1)"); }},
           Case{"entry.sources.uri", [](v1::Entry& e) { e.add_sources()->set_uri("https://example.org/a。"); }},
           Case{"entry.state", [](v1::Entry& e) { e.set_state(static_cast<v1::EntryState>(9)); }},
           Case{"entry.claims[0].id", [](v1::Entry& e) { e.add_claims(); }},
       }) {
    v1::Entry entry = Written();
    c.set(entry);
    EXPECT_EQ(Field(ResolveEntry(entry)), c.field);
  }
}

TEST(PageToken, HoldsItsPlaceForItsQueryOnly) {
  const std::string place = std::string("12:a\0b", 6);
  const std::string token = MakePageToken("ListJobs,3", place);
  EXPECT_EQ(*ReadPageToken("ListJobs,3", token), place);
  EXPECT_EQ(*ReadPageToken("ListJobs,3", ""), "");
  EXPECT_EQ(Field(ReadPageToken("ListJobs,4", token).status()), "page_token");
  EXPECT_EQ(Field(ReadPageToken("ListJobs,31", MakePageToken("ListJobs,3", "1x")).status()), "page_token");
  for (size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] = other[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(Field(ReadPageToken("ListJobs,3", other).status()), "page_token") << i;
  }
  for (const std::string& other : {token.substr(0, 8), token + "AAAA", std::string("\xff"), std::string(10'000, 'A')}) {
    EXPECT_EQ(Field(ReadPageToken("ListJobs,3", other).status()), "page_token");
  }
}

TEST(Validation, ControlCharactersAreRefusedAndShown) {
  for (char c : {'\0', '\x01', '\x1f', '\x7f', '\x1b'}) {
    const std::string value = std::string("a") + c + "b";
    EXPECT_EQ(Field(CheckLine("f", value, 10)), "f");
    EXPECT_EQ(Field(CheckText("f", value, 10)), "f");
  }
  EXPECT_NE(CheckLine("f", std::string("a\0b", 3), 10).message().find("a\\x00b"), std::string::npos);
  for (const char* value : {"a\tb", "a\nb", "a\r\nb"}) {
    EXPECT_FALSE(CheckLine("f", value, 10).ok());
    EXPECT_TRUE(CheckText("f", value, 10).ok());
  }
  EXPECT_TRUE(CheckLine("f", "测试 é", 20).ok());
  EXPECT_TRUE(CheckLine("f", "1234567890", 10).ok());
  EXPECT_FALSE(CheckLine("f", "12345678901", 10).ok());
}

TEST(Validation, IdsRangesAndPageSizes) {
  EXPECT_TRUE(CheckRequestId("f", "").ok());
  EXPECT_TRUE(CheckRequestId("f", std::string(64, 'x')).ok());
  EXPECT_FALSE(CheckRequestId("f", std::string(65, 'x')).ok());
  EXPECT_FALSE(CheckRequestId("f", "a b").ok());
  EXPECT_FALSE(CheckRequiredId("f", "1234567").ok());
  EXPECT_TRUE(CheckRequiredId("f", "12345678").ok());
  EXPECT_FALSE(CheckRange("f", std::numeric_limits<int64_t>::min(), 0, 1).ok());
  EXPECT_FALSE(CheckFinite("f", std::numeric_limits<double>::quiet_NaN()).ok());
  EXPECT_EQ(*PageSize(0, 50), 50);
  EXPECT_EQ(*PageSize(5, 50), 5);
  EXPECT_EQ(*PageSize(std::numeric_limits<int32_t>::max(), 50), 1000);
  EXPECT_EQ(Field(PageSize(-1, 50).status()), "page_size");
}

}  // namespace
}  // namespace benchwire::core
