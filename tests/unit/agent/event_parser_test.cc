#include "workers/agent/event_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/base/status.h"

namespace benchwire::agent {
namespace {

using ::testing::HasSubstr;

constexpr char kRow[] =
    R"("metric":"m","unit":"1","direction":"DIRECTION_NONE","status":"MEASUREMENT_STATUS_OK","value":1)";

std::string Measurement(const std::string& fields) { return "{\"measurement\":{" + fields + "}}"; }

std::string ErrorOf(const std::string& line) {
  const auto event = ParseEvent(line, "p2p");
  return event.ok() ? "" : std::string(event.status().message());
}

TEST(ParseEventTest, TakesEveryKind) {
  for (
      const char* line : {
          R"({"progress":{"fraction":0.25,"message":"warm-up","remaining":"3.5s"}})",
          R"({"progress":{}})",
          R"({"point":{"metric":"loss","step":"9007199254740993","value":-1e300,"labels":{"arm":"a"}}})",
          R"({"measurement":{"metric":"带宽","unit":"B/s","direction":"DIRECTION_HIGHER","status":"MEASUREMENT_STATUS_WAIVED",
              "reason_code":"SINGLE_GPU","reason":"one GPU\nonly"}})",
          R"({"result":{"p2p":{"backend":"P2P_BACKEND_HOST"}}})",
          R"({"environment":{"values":{"compiler_version":"12"}}})",
          R"({"warning":{"code":"A_1","message":"text"}})",
          R"({"error":{"code":"E","message":""}})",
      }) {
    EXPECT_EQ(ErrorOf(line), "") << line;
  }
  EXPECT_EQ(ParseEvent(R"({"point":{"metric":"loss","step":"9007199254740993","value":1}})", "p2p")->point().step(),
            9007199254740993);
}

struct BadLine {
  std::string line;
  std::string error;
};

class BadLineTest : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadLineTest, NamesWhatIsWrong) { EXPECT_THAT(ErrorOf(GetParam().line), HasSubstr(GetParam().error)); }

INSTANTIATE_TEST_SUITE_P(
    All, BadLineTest,
    ::testing::Values(
        BadLine{"", "event: "}, BadLine{"[]", "expected a JSON object"}, BadLine{"3", "expected a JSON object"},
        BadLine{"null", "expected a JSON object"}, BadLine{"{}", "exactly one key"},
        BadLine{R"({"progress":null})", "progress, point, measurement"},
        BadLine{R"({"progress":{},"point":{}})", "exactly one key"}, BadLine{R"({"progress":{}} x)", "a JSON object"},
        BadLine{R"({"unknown":{}})", "JSON of a RunnerEvent"},
        BadLine{R"({"progress":{"x":1}})", "JSON of a RunnerEvent"},
        BadLine{R"({"progress":{"fraction":true}})", "JSON of a RunnerEvent"},
        BadLine{R"({"progress":{"fraction":1.5}})", "progress.fraction: '1.5"},
        BadLine{R"({"progress":{"fraction":"NaN"}})",
                "progress.fraction: 'NaN' is not valid; expected a finite number"},
        BadLine{R"({"progress":{"remaining":"-1s"}})", "progress.remaining"},
        BadLine{R"({"progress":{"message":"a\nb"}})", "progress.message: 'a\\x0ab'"},
        BadLine{R"({"point":{"metric":"m","step":-1}})", "point.step: '-1'"},
        BadLine{R"({"point":{"metric":"","step":1}})", "point.metric"},
        BadLine{R"({"point":{"metric":"m","value":1e999}})", "a JSON object"},
        BadLine{R"({"point":{"metric":"m","labels":{"Key":"v"}}})", "point.labels: 'Key'"},
        BadLine{R"({"point":{"metric":"m","labels":{"a":"1","a":"2"}}})", "each key once"},
        BadLine{"{\"point\":{\"metric\":\"\xc4\xe3\"}}", "a JSON object"},
        BadLine{R"({"point":{"metric":"a\u0000"}})", "point.metric: 'a\\x00'"},
        BadLine{Measurement(std::string(kRow) + R"(,"name":"n")"), "measurement.name"},
        BadLine{Measurement(std::string(kRow) + R"(,"samples":[1,"Infinity"])"), "measurement.samples: 'Infinity'"},
        BadLine{Measurement(std::string(kRow) + R"(,"interval":{"low":2,"high":1,"confidence":0.9,"method":"m"})"),
                "measurement.interval.low"},
        BadLine{Measurement(std::string(kRow) + R"(,"interval":{"low":1,"high":1,"confidence":1,"method":"m"})"),
                "measurement.interval.confidence"},
        BadLine{Measurement(R"("metric":"m","unit":"1","direction":"DIRECTION_NONE","status":"MEASUREMENT_STATUS_OK")"),
                "measurement.value"},
        BadLine{Measurement(R"("metric":"m","direction":"DIRECTION_NONE","status":"MEASUREMENT_STATUS_ERROR")"),
                "measurement.reason_code"},
        BadLine{Measurement(R"("metric":"m","unit":"1","value":1,"status":"MEASUREMENT_STATUS_OK")"),
                "measurement.direction"},
        BadLine{Measurement(R"("metric":"m","unit":"1","value":1,"direction":"DIRECTION_NONE")"), "measurement.status"},
        BadLine{Measurement(R"("metric":"m","value":1,"direction":1,"status":1)"), "measurement.unit"},
        BadLine{R"({"result":{}})", "result: '' is not valid; expected the result of a p2p job"},
        BadLine{R"({"environment":{"values":{"UPPER":"x"}}})", "environment.values: 'UPPER'"},
        BadLine{R"({"warning":{"code":"lower"}})", "warning.code: 'lower'"},
        BadLine{R"({"error":{"message":"no code"}})", "error.code"},
        BadLine{"{\"error\":{\"code\":\"E\",\"message\":\"" + std::string(4097, 'x') + "\"}}",
                "at most 4096 bytes, not 4097"},
        BadLine{R"({"progress":)" + std::string(100'000, '['), "levels of nesting"}));

TEST(ParseEventTest, ErrorsAreShortValidText) {
  // The text of a hostile line ends up in the job's reason.
  for (const std::string& line :
       {"{\"\xc4" + std::string(900'000, '\xff') + "\":1}", "\"" + std::string(900'000, 'a')}) {
    const std::string error = ErrorOf(line);
    EXPECT_LT(error.size(), 1024U);
    EXPECT_EQ(error.find('\xff'), std::string::npos);
  }
}

TEST(ParseEventTest, RefusesAResultOfAnotherKind) {
  const auto event = ParseEvent(R"({"result":{"p2p":{}}})", "nas");
  EXPECT_THAT(std::string(event.status().message()), HasSubstr("the result of a nas job"));
}

TEST(ParseEventTest, LimitsSamplesAndLabels) {
  std::string samples = "0";
  for (int i = 1; i < 100'000; ++i) samples += ",0";
  EXPECT_EQ(ErrorOf(Measurement(std::string(kRow) + ",\"samples\":[" + samples + "]")), "");
  EXPECT_THAT(ErrorOf(Measurement(std::string(kRow) + ",\"samples\":[0," + samples + "]")),
              HasSubstr("100001 samples"));
  std::string labels = "\"l0\":\"\"";
  for (int i = 1; i < 64; ++i) labels += ",\"l" + std::to_string(i) + "\":\"\"";
  EXPECT_EQ(ErrorOf(Measurement(std::string(kRow) + ",\"labels\":{" + labels + "}")), "");
  EXPECT_THAT(ErrorOf(Measurement(std::string(kRow) + ",\"labels\":{\"z\":\"\"," + labels + "}")),
              HasSubstr("65 labels"));
}

class EventParserTest : public ::testing::Test {
 protected:
  EventParser parser_{"p2p", [this](const v1::RunnerEvent& event) {
                        seen_.push_back(event.point().step());
                        return event.point().step() == 99 ? absl::InvalidArgumentError("99") : absl::OkStatus();
                      }};
  std::vector<int64_t> seen_;
};

TEST_F(EventParserTest, CutsAnyChunkingIntoTheSameLines) {
  const std::string text =
      "{\"point\":{\"metric\":\"m\",\"step\":1}}\n{\"point\":{\"metric\":\"m\",\"step\":2}}\r\n"
      "{\"point\":{\"metric\":\"m\",\"step\":3}}";
  for (size_t size = 1; size <= text.size(); ++size) {
    seen_.clear();
    for (size_t at = 0; at < text.size(); at += size) ASSERT_TRUE(parser_.Feed(text.substr(at, size)).ok());
    EXPECT_EQ(seen_, (std::vector<int64_t>{1, 2}));
    ASSERT_TRUE(parser_.End().ok());
    EXPECT_EQ(seen_, (std::vector<int64_t>{1, 2, 3}));
  }
}

TEST_F(EventParserTest, CountsLinesFromOne) {
  const absl::Status status = parser_.Feed("{\"progress\":{}}\n\n");
  EXPECT_THAT(std::string(status.message()), HasSubstr("event line 2: "));
  EXPECT_EQ(ErrorReason(status), "BAD_EVENT");
}

TEST_F(EventParserTest, PassesOnWhatTheSinkRefuses) {
  EXPECT_EQ(parser_.Feed("{\"point\":{\"metric\":\"m\",\"step\":99}}\n").message(), "event line 1: 99");
}

TEST_F(EventParserTest, BoundsALineWithoutEnd) {
  const std::string chunk(size_t{64} << 10, 'x');
  absl::Status status;
  int chunks = 0;
  for (; status.ok() && chunks < 100; ++chunks) status = parser_.Feed(chunk);
  EXPECT_EQ(chunks, 17);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most 1 MiB"));
}

}  // namespace
}  // namespace benchwire::agent
