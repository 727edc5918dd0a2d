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

struct Shape {
  bool flag = false;
  std::string any = "unset";
  std::string scalar = "unset";
  std::map<std::string, std::string> texts;
  std::vector<double> numbers;
  std::map<std::string, std::int64_t> members;
  std::int64_t inner = 0;
};

std::string ReadShape(const std::string& text, Shape* shape) {
  Result<SpecReader> reader = SpecReader::Parse(text, "configuration");
  if (!reader.ok()) return reader.error().message;
  reader->Boolean("flag", &shape->flag);
  reader->AnyText("any", 8, &shape->any);
  reader->Scalar("scalar", 8, &shape->scalar);
  reader->TextMap("texts", 2, 8, &shape->texts);
  reader->Numbers("numbers", 2, 0, 1, &shape->numbers);
  reader->Members("members", 2, [shape](const std::string& name, SpecReader& member) {
    member.Integer("n", 1, 9, &shape->members[name]);
  });
  reader->Object("object", [shape](SpecReader& object) { object.Integer("inner", 1, 9, &shape->inner); });
  const Status status = reader->Finish();
  return status.ok() ? "OK" : status.error().message;
}

TEST(SpecReaderTest, ConfigurationsHaveObjectsAndMaps) {
  Shape shape;
  EXPECT_EQ(
      ReadShape(R"({"flag": true, "any": "a\nb", "scalar": -1.5, "texts": {"a": "", "b": "x"}, "numbers": [0, "0.5"],
                          "members": {"x": {"n": 3}, "y": {}}, "object": {"inner": 4}})",
                &shape),
      "OK");
  EXPECT_TRUE(shape.flag);
  EXPECT_EQ(shape.any, "a\nb");
  EXPECT_EQ(shape.scalar, "-1.5");
  EXPECT_EQ(shape.texts, (std::map<std::string, std::string>{{"a", ""}, {"b", "x"}}));
  EXPECT_THAT(shape.numbers, ElementsAre(0, 0.5));
  EXPECT_EQ(shape.members, (std::map<std::string, std::int64_t>{{"x", 3}, {"y", 0}}));
  EXPECT_EQ(shape.inner, 4);
}

TEST(SpecReaderTest, ErrorsOfObjectsAndMapsNameTheirPath) {
  const auto message = [](const std::string& text) {
    Shape shape;
    return ReadShape(text, &shape);
  };
  EXPECT_THAT(message("{"), HasSubstr("configuration: not JSON"));
  EXPECT_EQ(message(R"({"flag": 1})"), "flag: 1; want true or false");
  EXPECT_EQ(message(R"({"any": "a\u0000"})"), "any: \"a\\u0000\"; want a text of at most 8 bytes without U+0000");
  EXPECT_THAT(message(R"({"scalar": [1]})"), HasSubstr("scalar: [1]; want a text"));
  EXPECT_THAT(message(R"({"texts": {"a": 1}})"), HasSubstr("texts.a: 1; want a text"));
  EXPECT_THAT(message(R"({"texts": {"a": "", "b": "", "c": ""}})"),
              HasSubstr("texts: 3 members; want an object of at most 2"));
  EXPECT_THAT(message(R"({"texts": []})"), HasSubstr("texts: []; want an object"));
  EXPECT_THAT(message(R"({"numbers": [0, 2]})"), HasSubstr("numbers[1]: 2; want a number from 0.0 to 1.0"));
  EXPECT_EQ(message(R"({"members": {"x": {"n": 0}}})"), "members.x.n: 0; want an integer from 1 to 9");
  EXPECT_THAT(message(R"({"members": {"x": {"m": 0}}})"), HasSubstr("members.x.\"m\": 0; want no such field"));
  EXPECT_EQ(message(R"({"members": {"x": 1}})"), "members.x: 1; want an object");
  EXPECT_EQ(message(R"({"object": 1})"), "object: 1; want an object");
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
