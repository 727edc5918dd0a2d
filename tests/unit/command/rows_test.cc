// What the adapters find in what programs leave behind, and what becomes of it.
#include "workers/command/rows.h"

#include "tests/unit/command/command_fixture.h"
#include "workers/command/collector.h"
#include "workers/command/number.h"

namespace benchwire::command {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// The rule of a definition that holds only this one.
Rule RuleOf(Json json) {
  const Json defaults = {{"metric", "m"}, {"unit", "1"}, {"direction", "HIGHER"}};
  for (const auto& [key, value] : defaults.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  const Definition definition =
      Parsed({{"name", "x"}, {"argv", {"prog"}}, {"output", {{"rules", Json::array({json})}}}});
  return definition.rules.empty() ? Rule() : definition.rules[0];
}

// `value@step` of each row, or `!problem`; or the code of the fault.
std::vector<std::string> Found(const kit::Result<std::vector<Row>>& rows) {
  if (!rows.ok()) return {rows.error().code};
  std::vector<std::string> out;
  for (const Row& row : *rows) {
    std::string text = row.problem.empty() ? row.value.value_or("?") : "!" + row.where + ": " + row.problem;
    if (row.step) text += "@" + *row.step;
    for (const auto& [key, value] : row.labels) text += " " + key + "=" + value;
    out.push_back(text);
  }
  return out;
}

std::vector<std::string> Csv(const std::string& text, Json rule = {{"value", "v"}}) {
  rule["from"] = "csv";
  return Found(CsvRows(RuleOf(rule), text));
}

TEST(CsvTest, Good) {
  EXPECT_THAT(Csv("a,v\n1,2\n3,4\n"), ElementsAre("2", "4"));
  EXPECT_THAT(Csv("v\n2\n3"), ElementsAre("2", "3"));
  EXPECT_THAT(Csv("a,v\r\n1,2\r\n\r\n3,4\r\n"), ElementsAre("2", "4"));
  EXPECT_THAT(Csv("\xEF\xBB\xBFv,a\n2,1\n"), ElementsAre("2"));
  EXPECT_THAT(Csv("\"v\",\"a,\"\"b\"\"\nc\"\n\"2\",\"x\ny\"\n3,z\n"), ElementsAre("2", "3"));
  EXPECT_THAT(Csv("v;a\n2;1\n", {{"value", "v"}, {"delimiter", ";"}}), ElementsAre("2"));
  EXPECT_THAT(Csv("v\n"), ElementsAre());
  EXPECT_THAT(Csv("s,v,l\n1,2,x\n", {{"value", "v"}, {"step", "s"}, {"label_columns", {"l"}}}), ElementsAre("2@1 l=x"));
}

TEST(CsvTest, Bad) {
  EXPECT_THAT(Csv(""), ElementsAre("BAD_CSV"));
  EXPECT_THAT(Csv("\xEF\xBB\xBF"), ElementsAre("BAD_CSV"));
  EXPECT_THAT(Csv("a,b\n1,2\n"), ElementsAre("MISSING_COLUMN"));
  EXPECT_THAT(Csv("v,v\n1,2\n"), ElementsAre("DUPLICATE_COLUMN"));
  EXPECT_THAT(Csv("a,a,v\n1,2,3\n"), ElementsAre("3"));  // Not a column that is read.
  EXPECT_THAT(Csv("v,a\n1\n2,3\n1,2,3\n"),
              ElementsAre("!line 2: 1 cells; the header has 2", "2", "!line 4: 3 cells; the header has 2"));
  EXPECT_THAT(Csv("v\n\"1\n"), ElementsAre("BAD_CSV"));
  EXPECT_THAT(Csv("v\n\"1\"x\n"), ElementsAre("BAD_CSV"));
  EXPECT_THAT(Csv(std::string("v\n1\0\n", 5)), ElementsAre("BAD_CSV"));
  EXPECT_THAT(Csv("\x7f"
                  "ELF\x02\x01\n\xff\xfe"),
              ElementsAre("MISSING_COLUMN"));
}

std::vector<std::string> Json1(const std::string& text, const std::string& pointer) {
  return Found(JsonRows(RuleOf({{"from", "json"}, {"value", pointer}}), text));
}

TEST(JsonTest, GoodAndBad) {
  EXPECT_THAT(Json1(R"({"a": {"b": [{"c": 1.5}]}})", "/a/b/0/c"), ElementsAre("1.5"));
  EXPECT_THAT(Json1("\xEF\xBB\xBF{\"a\": \"2\"}\r\n", "/a"), ElementsAre("2"));
  EXPECT_THAT(Json1("7", ""), ElementsAre("7"));
  EXPECT_THAT(Json1(R"({"a": [1, null, "3"]})", "/a"), ElementsAre("1", "!/a/1: null; want a number", "3"));
  EXPECT_THAT(Json1(R"({"a": true})", "/a"), ElementsAre("!/a: boolean; want a number"));
  EXPECT_THAT(Json1(R"({"a": {"b": 1}})", "/a"), ElementsAre("!/a: object; want a number"));
  EXPECT_THAT(Json1(R"({"a~b/c": 1})", "/a~0b~1c"), ElementsAre("1"));
  EXPECT_THAT(Json1(R"({"a": [1]})", "/a/x"), ElementsAre());
  EXPECT_THAT(Json1(R"({"a": [1]})", "/a/1"), ElementsAre());
  EXPECT_THAT(Json1(R"({"b": 1})", "/a"), ElementsAre());
  for (const std::string bad : {"", "{", "NaN", "{\"a\": NaN}", "{\"a\": 1e999}", "{\"a\": 1, \"a\": 2}", "\xff"}) {
    EXPECT_THAT(Json1(bad, "/a"), ElementsAre("BAD_JSON")) << bad;
  }
  EXPECT_THAT(Json1(std::string(100'000, '['), "/a"), ElementsAre("BAD_JSON"));
}

TEST(JsonLinesTest, OtherLinesMayStandBetween) {
  const Rule rule = RuleOf({{"from", "jsonl"}, {"value", "/r/mean"}, {"step", "/t"}});
  EXPECT_THAT(Found(JsonLineRows(rule,
                                 "{\"r\": {\"mean\": 1}, \"t\": 10}\r\n\n{\"other\": 1}\n{\"r\": {\"mean\": \"2\"}}\n"
                                 "not json\n{\"r\": {\"mean\": 3}, \"t\": \"30\"}")),
              ElementsAre("1@10", HasSubstr("!line 4: no step at /t"), HasSubstr("!line 5: not JSON"), "3@30"));
}

std::vector<std::string> Regex(const std::string& text, const std::string& pattern) {
  return Found(RegexRows(RuleOf({{"from", "regex"}, {"pattern", pattern}}), text));
}

TEST(RegexTest, Lines) {
  const std::string pattern = "^step (?P<step>[0-9]+): (?P<op>[a-z]+) took (?P<value>[0-9.e+-]+)";
  EXPECT_THAT(Regex("step 1: put took 1.5 s\r\nnoise\nstep 2: get took 2\n", pattern),
              ElementsAre("1.5@1 op=put", "2@2 op=get"));
  EXPECT_THAT(Regex("", pattern), ElementsAre());
  EXPECT_THAT(Regex(std::string("\0\xff\xfe v=1\n", 8), "v=(?P<value>.)"), ElementsAre("1"));
  EXPECT_THAT(Regex("v=1\nw=\n", "v=(?P<value>.)|w="), ElementsAre("1", HasSubstr("took no part")));
  // Linear in time whatever the pattern.
  EXPECT_THAT(Regex(std::string(60'000, 'a'), "^(a*)*(?P<value>b)$"), ElementsAre());
  EXPECT_THAT(Regex(std::string(10'000'000, 'x') + "\nv=1\n", "v=(?P<value>.)"), ElementsAre("1"));
}

TEST(NumberTest, DecimalNumbersOnly) {
  EXPECT_EQ(*ParseNumber(" +1.5e3\r\n"), 1500);
  EXPECT_EQ(*ParseNumber("-.5"), -0.5);
  for (const char* text : {"nan", "NaN", "inf", "-Infinity", "1e999", "-1e999"}) {
    ASSERT_FALSE(ParseNumber(text).ok()) << text;
    EXPECT_EQ(ParseNumber(text).error().code, "NOT_FINITE") << text;
  }
  for (const char* text : {"", " ", "1,5", "1 2", "0x10", "1_000", "--1", "+-1", "e", "1s"}) {
    ASSERT_FALSE(ParseNumber(text).ok()) << text;
    EXPECT_EQ(ParseNumber(text).error().code, "NOT_A_NUMBER") << text;
  }
  EXPECT_EQ(*ParseStep("1e6"), 1'000'000);
  for (const char* text : {"-1", "0.5", "1e17", "x"}) EXPECT_FALSE(ParseStep(text).ok()) << text;
}

class CollectorTest : public ::testing::Test {
 protected:
  // Gives the rule rows with these values; the code of the error, if any.
  std::string Collect(Json rule, const std::vector<std::string>& values) {
    rule["from"] = "regex";
    rule["pattern"] = "(?P<value>.*)";
    rule_ = RuleOf(rule);
    Collector collector(rule_, {{"n", "3"}}, events_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Row row;
      row.where = "line " + std::to_string(i + 1);
      row.value = values[i];
      if (const kit::Status status = collector.Add(row); !status.ok())
        return status.error().code + ": " + status.error().message;
    }
    const kit::Status status = collector.Finish();
    counts_ = collector.counts();
    return status.ok() ? "" : status.error().code + ": " + status.error().message;
  }
  kit::Measurement Row1() const {
    const auto rows = events_.Of<kit::Measurement>();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? kit::Measurement() : rows[0];
  }
  Rule rule_;
  Events events_;
  Counts counts_;
};

TEST_F(CollectorTest, RepeatedValuesAreSamples) {
  EXPECT_EQ(Collect({{"scale", 0.001}, {"labels", {{"seed", "{seed}"}}}}, {"1", "2", "3", "4", "5", "6000"}), "");
  const kit::Measurement row = Row1();
  EXPECT_EQ(row.estimator, "median");
  EXPECT_DOUBLE_EQ(*row.value, 0.0035);
  EXPECT_THAT(row.samples, ElementsAre(0.001, 0.002, 0.003, 0.004, 0.005, 6.0));
  EXPECT_TRUE(row.interval.has_value());
  EXPECT_EQ(row.labels.at("seed"), "{seed}");  // No value was given for it here.
}

TEST_F(CollectorTest, EstimatorsAndLast) {
  EXPECT_EQ(Collect({{"estimator", "max"}}, {"1", "3", "2"}), "");
  EXPECT_EQ(Row1().value, 3);
  EXPECT_FALSE(Row1().interval);
  events_ = Events();
  EXPECT_EQ(Collect({{"rows", "last"}, {"emit", "both"}}, {"nan", "3", "2"}), "");
  EXPECT_EQ(Row1().value, 2);
  EXPECT_EQ(Row1().estimator, "single");
  EXPECT_EQ(events_.Of<kit::Point>().size(), 1U);
}

TEST_F(CollectorTest, ARequiredRuleFailsTheAttempt) {
  EXPECT_EQ(Collect(Json::object(), {"1", "nan"}), "NOT_FINITE: m (x): line 2: \"nan\"; want a finite number");
  EXPECT_EQ(Collect(Json::object(), {}), "MISSING_VALUE: m (x): nothing in the output holds this number");
  EXPECT_TRUE(events_.Of<kit::Measurement>().empty());
}

TEST_F(CollectorTest, OneThatIsNotRequiredGivesARowWithTheReason) {
  EXPECT_EQ(Collect({{"required", false}}, {"1", "x", "y"}), "");
  EXPECT_EQ(Row1().status, kit::RowStatus::kError);
  EXPECT_EQ(Row1().value, std::nullopt);
  EXPECT_EQ(Row1().reason_code, "NOT_A_NUMBER");
  EXPECT_THAT(Row1().reason, HasSubstr("line 2: \"x\""));
  EXPECT_EQ(counts_.bad_rows, 2);
  events_ = Events();
  EXPECT_EQ(Collect({{"required", false}}, {}), "");
  EXPECT_EQ(Row1().reason_code, "MISSING_VALUE");
}

TEST_F(CollectorTest, PointsThatAreLeftOutAreSaid) {
  EXPECT_EQ(Collect({{"required", false}, {"emit", "series"}}, {"1", "x", "3"}), "");
  const auto points = events_.Of<kit::Point>();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].step, 2);  // The row that is left out keeps its place.
  ASSERT_EQ(events_.Of<kit::Warning>().size(), 1U);
  EXPECT_EQ(events_.Of<kit::Warning>()[0].code, "POINTS_LEFT_OUT");
}

TEST_F(CollectorTest, DifferentLabelsAreDifferentMeasurementsUpToABound) {
  rule_ = RuleOf({{"from", "regex"}, {"pattern", "(?P<value>.*)"}});
  Collector collector(rule_, {}, events_);
  Row row;
  row.value = "1";
  for (int i = 0; i < 1000; ++i) {
    row.labels["i"] = std::to_string(i);
    ASSERT_TRUE(collector.Add(row).ok());
  }
  row.labels["i"] = "one more";
  const kit::Status status = collector.Add(row);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "TOO_MANY_ROWS");
}

}  // namespace
}  // namespace benchwire::command
