// The strict reading of definitions, and the examples that are shipped.
#include "workers/command/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/command/command_fixture.h"

namespace benchwire::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const char kGood[] = R"({
  "name": "x", "description": "d", "argv": ["prog", "--n={n}", "{{}}", "{s}", "{seed}", "{work_dir}", "{devices}"],
  "version_argv": ["prog", "--version"],
  "parameters": {
    "n": {"type": "integer", "min": -5, "max": 5, "default": 3},
    "rate": {"type": "number", "min": 0, "max": 1, "default": "0.5"},
    "s": {"type": "string", "pattern": "[a-z ]*", "max_bytes": 8, "default": ""},
    "e": {"type": "enum", "choices": ["a", "b"], "required": true}},
  "environment": {"allow": ["WANTED"], "set": {"N": "{n}"}},
  "limits": {"wall_time": "1.5s", "memory_bytes": "1048576", "processes": 4, "open_files": 64, "file_bytes": 4096,
             "output_bytes": 100},
  "files": {"a/b.txt": {"text": "n={n}"}, "run.sh": {"copy": "run.sh", "executable": true}},
  "success_exit_codes": [0, 3], "retry_exit_codes": [4],
  "output": {"rules": [
    {"from": "csv", "file": "out/*/progress.csv", "value": "return", "step": "steps", "rows": "last", "metric": "return",
     "unit": "1", "direction": "HIGHER", "emit": "both", "labels": {"n": "{n}"}, "required": false, "scale": 0.001}]}})";

TEST(DefinitionTest, ReadsEverything) {
  const auto read = ParseDefinition(kGood, "/somewhere/x.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->directory, "/somewhere");
  EXPECT_EQ(read->argv.size(), 7U);
  EXPECT_EQ(read->argv[2].Expand({}), "{}");
  EXPECT_EQ(read->parameters.at("n").fallback, "3");
  EXPECT_EQ(read->parameters.at("s").fallback, "");
  EXPECT_EQ(read->parameters.at("e").fallback, std::nullopt);
  EXPECT_EQ(read->limits.wall_time, std::chrono::milliseconds(1500));
  EXPECT_EQ(read->limits.memory_bytes, 1 << 20);
  EXPECT_EQ(read->success_exit_codes, (std::set<int>{0, 3}));
  ASSERT_EQ(read->rules.size(), 1U);
  EXPECT_EQ(read->rules[0].rows, Rows::kLast);
  EXPECT_EQ(read->rules[0].case_id, "x");
  EXPECT_FALSE(read->rules[0].required);
}

struct BadDefinition {
  const char* at;     // JSON pointer.
  const char* value;  // What is put there, as JSON; `-` removes it.
  const char* path;   // Field that the message names.
  const char* want;   // Part of what it says would be right.
};

class BadDefinitionTest : public ::testing::TestWithParam<BadDefinition> {};

TEST_P(BadDefinitionTest, IsRefusedWithFileFieldAndWhatIsRight) {
  nlohmann::json json = nlohmann::json::parse(kGood);
  const nlohmann::json::json_pointer at(GetParam().at);
  if (std::string(GetParam().value) == "-") {
    json.at(at.parent_pointer()).erase(at.back());
  } else {
    json[at] = nlohmann::json::parse(GetParam().value);
  }
  const auto read = ParseDefinition(json.dump(), "/somewhere/x.json");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, "BAD_DEFINITION");
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("/somewhere/x.json: "), HasSubstr(GetParam().path),
                                          HasSubstr("; want "), HasSubstr(GetParam().want)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadDefinitionTest,
    ::testing::Values(
        BadDefinition{"/name", R"("y")", "name: \"y\"", "the name of the file"},
        BadDefinition{"/nmae", "1", "\"nmae\": 1", "no such field"},
        BadDefinition{"/argv", "[]", "argv", "the program"}, BadDefinition{"/argv", R"("sh x")", "argv", "a list"},
        BadDefinition{"/argv/0", R"("{s}")", "argv[0]", "no parameter chooses"},
        BadDefinition{"/argv/1", R"("{nope}")", "argv[1]: {nope}", "definition_dir devices seed work_dir"},
        BadDefinition{"/argv/1", R"("a{")", "argv[1]", "{{ and }}"},
        BadDefinition{"/argv/1", R"("a}")", "argv[1]", "{{ and }}"},
        BadDefinition{"/argv/1", R"("{ n }")", "argv[1]", "{{ and }}"},
        BadDefinition{"/argv/1", "7", "argv[1]", "a text"},
        BadDefinition{"/argv", R"(["bash", "-ec", "rm {s}"])", "argv[2]", "shell text"},
        BadDefinition{"/argv", R"j(["env", "python3.11", "-c", "print({n})"])j", "argv[3]", "shell text"},
        BadDefinition{"/parameters/n/min", "6", "parameters.n.max: 5", "an integer from 6"},
        BadDefinition{"/parameters/n/default", "9", "parameters.n.default: \"9\"", "an integer from -5 to 5"},
        BadDefinition{"/parameters/n/default", "-", "parameters.n.default: absent", "required"},
        BadDefinition{"/parameters/e/default", R"("a")", "parameters.e.default", "either"},
        BadDefinition{"/parameters/e/choices", "[]", "parameters.e.choices", "the values"},
        BadDefinition{"/parameters/s/pattern", R"("(")", "parameters.s.pattern", "a pattern of RE2"},
        BadDefinition{"/parameters/s/default", R"("-x")", "parameters.s.default", "not beginning with -"},
        BadDefinition{"/parameters/n/type", R"("int")", "parameters.n.type", "integer number string enum"},
        BadDefinition{"/parameters/n/choices", "[]", "\"choices\"", "no such field"},
        BadDefinition{"/parameters/Bad", R"({"type": "integer", "default": 1})", "\"Bad\"", "[a-z]"},
        BadDefinition{"/parameters/seed", R"({"type": "integer", "default": 1})", "\"seed\"", "other than"},
        BadDefinition{"/environment/allow/0", R"("BENCHWIRE_X")", "environment.allow", "not BENCHWIRE_*"},
        BadDefinition{"/environment/set/A=B", R"("x")", "environment.set.A=B", "names of variables"},
        BadDefinition{"/limits/wall_time", "1.5", "limits.wall_time", "seconds such as"},
        BadDefinition{"/limits/memory_bytes", "1", "limits.memory_bytes", "an integer from 1048576"},
        BadDefinition{"/limits/cpus", "1", "\"cpus\"", "no such field; there are wall_time"},
        BadDefinition{"/files/..~1x", R"({"text": ""})", "\"../x\"", "inside the working directory"},
        BadDefinition{"/files/run.sh/copy", R"("/etc/passwd")", "copy", "beside the definition"},
        BadDefinition{"/files/run.sh/text", R"("")", "files.run.sh.text", "either text or copy"},
        BadDefinition{"/retry_exit_codes/0", "3", "3", "not of success"},
        BadDefinition{"/output", "-", "output: absent", "contract"},
        BadDefinition{"/output/contract", "true", "output.rules", "either rules"},
        BadDefinition{"/output/rules", "[]", "output.rules", "either rules"},
        BadDefinition{"/output/rules/0/from", R"("xml")", "output.rules[0].from", "json jsonl csv regex usage"},
        BadDefinition{"/output/rules/0/file", R"("../x")", "output.rules[0].file", "inside the working directory"},
        BadDefinition{"/output/rules/0/direction", "-", "output.rules[0].direction", "HIGHER, LOWER or NONE"},
        BadDefinition{"/output/rules/0/unit", "-", "output.rules[0].unit", "SI unit"},
        BadDefinition{"/output/rules/0/pattern", R"("x")", "\"pattern\"", "no such field"},
        BadDefinition{"/output/rules/0/scale", "0", "output.rules[0].scale", "not 0"},
        BadDefinition{"/output/rules/0/labels/n", R"("{work_dir}")", "labels.n", "a parameter or seed"},
        BadDefinition{"/output/rules/0/labels/N", R"("1")", "labels.N", "keys of"},
        BadDefinition{"/output/rules/0",
                      R"({"from": "regex", "pattern": "x", "metric": "m", "unit": "1", "direction": "NONE"})",
                      "output.rules[0].pattern", "(?P<value>"},
        BadDefinition{"/output/rules/0",
                      R"({"from": "json", "value": "a", "metric": "m", "unit": "1", "direction": "NONE"})",
                      "output.rules[0].value", "a JSON pointer"}));

TEST(DefinitionTest, AFileTakesNoStringWithoutAPattern) {
  nlohmann::json json = nlohmann::json::parse(kGood);
  json["files"]["a/b.txt"]["text"] = "{s}";
  EXPECT_TRUE(ParseDefinition(json.dump(), "x.json").ok());
  json["parameters"]["s"].erase("pattern");
  const auto read = ParseDefinition(json.dump(), "x.json");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("a parameter with a pattern"));
}

TEST(DefinitionTest, TextThatIsNoDefinition) {
  for (const char* text :
       {"", "[]", "{", "{\"name\": \"x\", \"name\": \"x\"}", "\xff\xfe", "{\"argv\": [\"a\\u0000b\"]}"}) {
    EXPECT_FALSE(ParseDefinition(text, "x.json").ok()) << text;
  }
}

TEST(DefinitionTest, ADirectoryIsReadWholeOrNotAtAll) {
  TemporaryDirectory directory;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(std::filesystem::path(directory.path()) / name) << text;
  };
  write("x.json", kGood);
  write("notes.txt", "not a definition");
  const auto good = LoadDefinitions(directory.path());
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ(good->size(), 1U);
  write("y.json", kGood);
  const auto bad = LoadDefinitions(directory.path());
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr("/y.json: name"));
  EXPECT_FALSE(LoadDefinitions(directory.path() + "/nowhere").ok());
}

TEST(DefinitionTest, TheExamplesAreGood) {
  const auto examples = LoadDefinitions(BENCHWIRE_EXAMPLE_COMMANDS);
  ASSERT_TRUE(examples.ok()) << examples.error().message;
  EXPECT_GE(examples->size(), 4U);
}

}  // namespace
}  // namespace benchwire::command
