#include "workers/kit/events.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <limits>

#include "workers/kit/event_writer.h"

namespace benchwire::kit {
namespace {

using ::testing::HasSubstr;

Measurement GoodRow() {
  Measurement row;
  row.metric = "bandwidth";
  row.case_id = "bw.local";
  row.unit = "B/s";
  row.direction = Direction::kHigher;
  row.value = 5e9;
  row.estimator = "median";
  row.samples = {4e9, 5e9, 6e9};
  row.labels = {{"src", "core:0"}};
  return row;
}

std::string Code(const Event& event) {
  const Result<std::string> line = EventLine(event);
  return line.ok() ? "OK" : line.error().code;
}

TEST(EventLineTest, WritesProtobufJson) {
  EXPECT_EQ(*EventLine(Progress{0.25, "half a\nway", std::chrono::milliseconds(1500)}),
            R"({"progress":{"fraction":0.25,"message":"half a way","remaining":"1.500s"}})");
  EXPECT_EQ(*EventLine(Point{"bandwidth", 9007199254740993, 0.5, {{"src", "core:0"}}}),
            R"({"point":{"metric":"bandwidth","step":"9007199254740993","value":0.5,"labels":{"src":"core:0"}}})");
  EXPECT_EQ(*EventLine(GoodRow()),
            R"({"measurement":{"metric":"bandwidth","case":"bw.local","unit":"B/s","direction":"DIRECTION_HIGHER",)"
            R"("value":5000000000.0,"estimator":"median","samples":[4000000000.0,5000000000.0,6000000000.0],)"
            R"("labels":{"src":"core:0"},"status":"MEASUREMENT_STATUS_OK"}})");
  EXPECT_EQ(*EventLine(TypedResult{"p2p", R"({"drift": 0.1})"}), R"({"result":{"p2p":{"drift":0.1}}})");
  EXPECT_EQ(*EventLine(Warning{"A", "b"}), R"({"warning":{"code":"A","message":"b"}})");
  EXPECT_EQ(*EventLine(Failure{"A", "b"}), R"({"error":{"code":"A","message":"b"}})");
  EXPECT_EQ(*EventLine(Environment{{{"kernel", "6.1"}}}), R"({"environment":{"values":{"kernel":"6.1"}}})");
}

TEST(EventLineTest, RefusesWhatTheReaderWould) {
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Measurement row = GoodRow();
    row.value = bad;
    EXPECT_EQ(Code(row), "BAD_EVENT");
    row = GoodRow();
    row.samples.push_back(bad);
    EXPECT_EQ(Code(row), "BAD_EVENT");
    row = GoodRow();
    row.interval = statistics::Interval{bad, 1, 0.95, "x"};
    EXPECT_EQ(Code(row), "BAD_EVENT");
    EXPECT_EQ(Code(Point{"m", 0, bad, {}}), "BAD_EVENT");
    EXPECT_EQ(Code(Progress{bad, "", {}}), "BAD_EVENT");
  }
  EXPECT_EQ(Code(Point{"", 0, 1, {}}), "BAD_EVENT");
  EXPECT_EQ(Code(Point{"m", -1, 1, {}}), "BAD_EVENT");
  EXPECT_EQ(Code(Progress{1.01, "", {}}), "BAD_EVENT");
  EXPECT_EQ(Code(TypedResult{"p2p", "[1]"}), "BAD_EVENT");
  EXPECT_EQ(Code(TypedResult{"p2p", "{"}), "BAD_EVENT");
}

TEST(EventLineTest, NamesAFileToKeep) {
  EXPECT_EQ(*EventLine(Artifact{"a/b.csv", "text/csv"}), R"({"artifact":{"path":"a/b.csv","media_type":"text/csv"}})");
  EXPECT_EQ(*EventLine(Artifact{"c", ""}), R"({"artifact":{"path":"c"}})");
  EXPECT_FALSE(EventLine(Artifact{}).ok());
  EXPECT_FALSE(EventLine(Artifact{std::string(513, 'p'), ""}).ok());
}

TEST(EventLineTest, ARowHasAValueOrAReason) {
  Measurement row = GoodRow();
  row.value.reset();
  EXPECT_EQ(Code(row), "BAD_EVENT");
  row.status = RowStatus::kWaived;
  EXPECT_EQ(Code(row), "BAD_EVENT");
  row.reason_code = "SINGLE_GPU";
  EXPECT_EQ(Code(row), "OK");
}

TEST(EventLineTest, TextIsCutBetweenCharactersAndCleaned) {
  std::string message(kMaxProgressMessageBytes - 1, 'x');
  message += "\xE4\xB8\xAD";  // Its first byte would be the last that fits.
  EXPECT_EQ(EventLine(Progress{0, message, {}})->find('\xE4'), std::string::npos);
  EXPECT_THAT(*EventLine(Warning{"A", std::string("a\0b", 3)}), HasSubstr("a b"));
  EXPECT_EQ(Code(Warning{"A", "\xFF\xFE"}), "OK");
}

TEST(EventLineTest, LongLinesAreRefused) {
  Measurement row = GoodRow();
  row.samples.assign(100'000, 1.2345678901234567e9);
  EXPECT_EQ(Code(row), "LINE_TOO_LONG");
  row.samples.push_back(1);
  EXPECT_EQ(Code(row), "BAD_EVENT");
}

TEST(EventWriterTest, WritesLinesAndOneResult) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EventWriter writer(ends[1]);
  ASSERT_TRUE(writer.Write(Warning{"A", "b"}).ok());
  ASSERT_TRUE(writer.Write(TypedResult{"p2p", "{}"}).ok());
  EXPECT_EQ(writer.Write(TypedResult{"p2p", "{}"}).error().code, "SECOND_RESULT");
  EXPECT_EQ(writer.Write(Point{"m", 0, std::numeric_limits<double>::quiet_NaN(), {}}).error().code, "BAD_EVENT");
  ASSERT_TRUE(writer.Write(Warning{"C", "d"}).ok());
  close(ends[1]);
  char text[512];
  const ssize_t size = read(ends[0], text, sizeof text);
  close(ends[0]);
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(size)),
            "{\"warning\":{\"code\":\"A\",\"message\":\"b\"}}\n{\"result\":{\"p2p\":{}}}\n"
            "{\"warning\":{\"code\":\"C\",\"message\":\"d\"}}\n");
}

TEST(EventWriterTest, ReportsAndRemembersAFailedWrite) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EventWriter writer(full);
  const Status status = writer.Write(Warning{"A", "b"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "WRITE_FAILED");
  EXPECT_THAT(status.error().message, HasSubstr("No space left"));
  close(full);
  EXPECT_EQ(writer.Write(Warning{"A", "b"}).error().code, "WRITE_FAILED");
}

}  // namespace
}  // namespace benchwire::kit
