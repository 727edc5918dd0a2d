#include "workers/kit/spec_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchwire::kit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Values {
  std::int64_t count = 7;
  double rate = 0.5;
  std::vector<std::int64_t> sizes = {1};
  std::vector<std::string> names;
  std::chrono::nanoseconds wait{1};
  int mode = 0;
  std::string text = "t";
  std::vector<std::string> from;
};

Status ReadAll(const std::string& text, Values* values) {
  Result<SpecReader> reader = SpecReader::Parse(text);
  if (!reader.ok()) return reader.error();
  reader->Integer("count", 1, 100, &values->count);
  reader->Number("rate", 0, 1, &values->rate);
  reader->Integers("sizes", 3, 4096, std::int64_t{1} << 40, &values->sizes);
  reader->Texts("names", 2, 8, &values->names);
  reader->Text("text", 8, &values->text);
  reader->Duration("wait", milliseconds(0), seconds(60), &values->wait);
  reader->Enum("mode", {{"MODE_A", 1}, {"MODE_B", 2}}, &values->mode);
  reader->Objects("pairs", 2, [&](SpecReader& pair) {
    std::string from;
    pair.Text("from", 8, &from);
    values->from.push_back(from);
  });
  return reader->Finish();
}

std::string Message(const std::string& text) {
  Values values;
  const Status status = ReadAll(text, &values);
  return status.ok() ? "OK" : status.error().message;
}

TEST(SpecReaderTest, MissingAndNullFieldsKeepTheirDefaults) {
  for (const char* text : {"{}", R"({"count": null, "sizes": null, "mode": null})"}) {
    Values values;
    ASSERT_TRUE(ReadAll(text, &values).ok());
    EXPECT_EQ(values.count, 7);
    EXPECT_THAT(values.sizes, ElementsAre(1));
  }
}

TEST(SpecReaderTest, BothNumberFormsAreRead) {
  for (const char* count : {"12", "\"12\"", "12.0", "1.2e1"}) {
    Values values;
    ASSERT_TRUE(ReadAll(std::string(R"({"count": )") + count + "}", &values).ok()) << count;
    EXPECT_EQ(values.count, 12);
  }
  Values values;
  ASSERT_TRUE(ReadAll(R"({"sizes": ["4096", 8192], "rate": "0.25", "wait": "0.020s", "mode": "MODE_B",
                          "names": ["a"], "pairs": [{"from": "x"}, {"from": "y"}]})",
                      &values)
                  .ok());
  EXPECT_THAT(values.sizes, ElementsAre(4096, 8192));
  EXPECT_EQ(values.rate, 0.25);
  EXPECT_EQ(values.wait, milliseconds(20));
  EXPECT_EQ(values.mode, 2);
  EXPECT_THAT(values.from, ElementsAre("x", "y"));
}

TEST(SpecReaderTest, ErrorsNameFieldValueAndWhatIsRight) {
  EXPECT_EQ(Message(R"({"count": 0})"), "count: 0; want an integer from 1 to 100");
  EXPECT_EQ(Message(R"({"count": 1.5})"), "count: 1.5; want an integer from 1 to 100");
  EXPECT_EQ(Message(R"({"count": "1 "})"), "count: \"1 \"; want an integer from 1 to 100");
  EXPECT_EQ(Message(R"({"count": true})"), "count: true; want an integer from 1 to 100");
  EXPECT_EQ(Message(R"({"sizes": [4096, 0]})"), "sizes[1]: 0; want an integer from 4096 to 1099511627776");
  EXPECT_THAT(Message(R"({"sizes": ["9223372036854775807"]})"), HasSubstr("sizes[0]: \"9223372036854775807\"; want"));
  EXPECT_THAT(Message(R"({"sizes": [18446744073709551615]})"), HasSubstr("sizes[0]: 18446744073709551615; want"));
  EXPECT_EQ(Message(R"({"sizes": 4096})"), "sizes: 4096; want a list of at most 3");
  EXPECT_EQ(Message(R"({"sizes": [4096,4096,4096,4096]})"), "sizes: 4 elements; want a list of at most 3");
  EXPECT_THAT(Message(R"({"rate": "NaN"})"), HasSubstr("rate: \"NaN\"; want a number"));
  EXPECT_THAT(Message(R"({"rate": "Infinity"})"), HasSubstr("rate: \"Infinity\"; want a number"));
  EXPECT_EQ(Message(R"({"mode": "MODE_C"})"), "mode: \"MODE_C\"; want one of MODE_A MODE_B");
  EXPECT_EQ(Message(R"({"wait": "61s"})"), "wait: \"61s\"; want seconds such as \"0.020s\", from 0s to 60s");
  EXPECT_THAT(Message(R"({"text": "a\u0000b"})"), HasSubstr("text: \"a\\u0000b\"; want a text"));
  EXPECT_THAT(Message(R"({"text": "123456789"})"), HasSubstr("of 1 to 8 bytes"));
  EXPECT_THAT(Message(R"({"pairs": [{"from": "x"}, {"to": "y"}]})"),
              HasSubstr("pairs[1].\"to\": \"y\"; want no such field"));
  EXPECT_THAT(Message(R"({"pairs": [3]})"), HasSubstr("pairs[0]: 3; want an object"));
  EXPECT_THAT(Message(R"({"cuont": 3})"), HasSubstr("\"cuont\": 3; want no such field; there are count rate"));
}

TEST(SpecReaderTest, OtherDurationsAreRefused) {
  for (const char* wait : {"\"20ms\"", "\"s\"", "\"-1s\"", "\"1\"", "1", "\"1m\"", "\"infs\"", "\"1e2s\""}) {
    EXPECT_THAT(Message(std::string(R"({"wait": )") + wait + "}"), HasSubstr("wait: ")) << wait;
  }
}

TEST(SpecReaderTest, WhatIsNotOneObjectIsRefused) {
  for (const char* text : {"", "[]", "3", "{", "{} {}", "{\"count\": NaN}", "{\"count\": 1, \"count\": 2}",
                           "{\"pairs\": [{\"from\": \"a\", \"from\": \"b\"}]}", "\xFF"}) {
    EXPECT_NE(Message(text), "OK") << text;
  }
  const std::string deep = "{\"names\":" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_THAT(Message(deep), HasSubstr("nested deeper"));
}

TEST(ParseTest, Durations) {
  EXPECT_EQ(ParseDuration("20ms"), milliseconds(20));
  EXPECT_EQ(ParseDuration("0.5s"), milliseconds(500));
  EXPECT_EQ(ParseDuration("2m"), seconds(120));
  for (const char* bad : {"", "20", "ms", "-1s", "1e3s", "nans", "99999999999h"})
    EXPECT_FALSE(ParseDuration(bad)) << bad;
}

TEST(ParseTest, Bytes) {
  EXPECT_EQ(ParseBytes("64MiB"), 64 << 20);
  EXPECT_EQ(ParseBytes("4096"), 4096);
  EXPECT_EQ(ParseBytes("2KB"), 2000);
  for (const char* bad : {"", "MiB", "1.5GiB", "-4096", "9999999TiB", "4096B?"}) EXPECT_FALSE(ParseBytes(bad)) << bad;
}

}  // namespace
}  // namespace benchwire::kit
