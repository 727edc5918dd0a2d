// Programs that speak the runner contract: what they may write, and what is refused with its line.
#include "tests/unit/command/command_fixture.h"
#include "workers/command/event_reader.h"

namespace benchwire::command {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Speaks(const std::string& script) {
  Json json = Shell("event() { printf '%s\\n' \"$1\" >&\"$BENCHWIRE_EVENTS_FD\"; }; " + script);
  json["output"] = {{"contract", true}};
  return json;
}

using ContractLinesTest = CommandTest;

TEST_F(ContractLinesTest, EventsArePassedOn) {
  const std::string row =
      R"({"measurement": {"metric": "return", "unit": "1", "direction": "DIRECTION_HIGHER", "value": "2.5", "samples": [2, 3],)"
      R"( "estimator": "mean", "status": "MEASUREMENT_STATUS_OK", "labels": {"env": "3m"},)"
      R"( "interval": {"low": 1, "high": 4, "confidence": 0.95, "method": "mean-bootstrap-t"}}})";
  ASSERT_EQ(
      CodeOf(Speaks("event '{\"progress\": {\"fraction\": 0.5, \"message\": \"half\", \"remaining\": \"2.5s\"}}'; "
                    "event '{\"point\": {\"metric\": \"loss\", \"step\": \"7\", \"value\": 0.25}}'; event '" +
                    row +
                    "'; "
                    "event '{\"environment\": {\"values\": {\"gpu\": \"none\"}}}'; "
                    "event '{\"artifact\": {\"path\": \"a/b.csv\", \"media_type\": \"text/csv\"}}'; "
                    "event '{\"warning\": {\"code\": \"SMALL\", \"message\": \"small\"}}'; printf %s "
                    "'{\"progress\": {\"fraction\": 1}}' >&3")),
      "")
      << message_;
  const auto rows = events_.Of<kit::Measurement>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].value, 2.5);
  EXPECT_EQ(rows[0].case_id, "x");
  EXPECT_EQ(rows[0].interval->high, 4);
  EXPECT_EQ(events_.Of<kit::Point>()[0].step, 7);
  EXPECT_EQ(events_.Of<kit::Artifact>()[0].path, "a/b.csv");
  EXPECT_EQ(events_.Of<kit::Progress>()[1].remaining, std::chrono::milliseconds(2500));
  EXPECT_EQ(ResultJson()["points"], "1");
  EXPECT_EQ(ResultJson()["measurements"], "1");
}

TEST_F(ContractLinesTest, ABadLineStopsTheProgramAndIsNamed) {
  EXPECT_EQ(CodeOf(Speaks("event '{\"progress\": {\"fraction\": 0.1}}'; event 'no JSON'; sleep 1000")), "BAD_EVENT");
  EXPECT_THAT(message_, HasSubstr("line 2: event: not JSON"));
  EXPECT_EQ(CodeOf(Speaks("head -c 3000000 /dev/zero | tr '\\0' x >&3; echo >&3; sleep 1000")), "BAD_EVENT");
  EXPECT_THAT(message_, HasSubstr("line 1: more than 1 MiB"));
}

TEST_F(ContractLinesTest, ItsOwnErrorComesFirst) {
  EXPECT_EQ(CodeOf(Speaks("event '{\"error\": {\"code\": \"NO_DATA\", \"message\": \"no data\"}}'; exit 75")),
            "TRY_AGAIN");
  EXPECT_EQ(events_.Of<kit::Failure>()[0].code, "NO_DATA");
  EXPECT_EQ(CodeOf(Speaks("exit 64")), "BAD_SPEC");
}

struct BadEvent {
  const char* line;
  const char* message;
};
class BadEventTest : public ::testing::TestWithParam<BadEvent> {};

TEST_P(BadEventTest, IsRefused) {
  const auto event = ReadEvent(GetParam().line);
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code, "BAD_EVENT");
  EXPECT_THAT(event.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadEventTest,
    ::testing::Values(BadEvent{"", "not JSON"}, BadEvent{"[]", "want a JSON object"}, BadEvent{"{}", "0 of progress"},
                      BadEvent{R"({"progress": {}, "point": {"metric": "m"}})", "2 of progress"},
                      BadEvent{R"({"result": {"command": {}}})", "\"result\""},
                      BadEvent{R"({"artifact": {}})", "artifact.path: absent"},
                      BadEvent{R"({"progress": {"fraction": 2}})", "progress.fraction: 2; want a number from 0"},
                      BadEvent{R"({"progress": {"x": 1}})", "\"x\""},
                      BadEvent{R"({"point": {"value": 1}})", "point.metric: absent"},
                      BadEvent{R"({"point": {"metric": "m", "value": "NaN"}})", "point.value"},
                      BadEvent{R"({"point": {"metric": "m", "step": -1}})", "point.step"},
                      BadEvent{R"({"point": {"metric": "m", "metric": "n"}})", "stands twice"},
                      BadEvent{R"({"warning": {"code": "C", "message": "a\u0000b"}})", "warning.message"},
                      BadEvent{R"({"measurement": {"metric": "m", "status": "MEASUREMENT_STATUS_OK"}})",
                               "measurement.direction"},
                      BadEvent{R"({"measurement": {"metric": "m", "direction": "DIRECTION_NONE", "status": "OK"}})",
                               "measurement.status"},
                      BadEvent{R"({"environment": {"values": {"a": 1}}})", "environment.values.a"}));

}  // namespace
}  // namespace benchwire::command
