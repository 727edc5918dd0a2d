// Values in arguments: one argument stays one argument, whatever a value holds.
#include "workers/command/template.h"

#include "tests/unit/command/command_fixture.h"
#include "workers/command/parameter.h"

namespace benchwire::command {
namespace {

using ::testing::HasSubstr;

TEST(TemplateTest, AValueIsPutInOnceAndAsItIs) {
  const auto text = Template::Parse("a{x}{{x}}{x}");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->Expand({{"x", "{x}{{y}}$(z)"}}), "a{x}{{y}}$(z){x}{x}{{y}}$(z)");
  EXPECT_EQ(text->Expand({}), "a{x}{x}{x}");
  EXPECT_EQ(text->Names(), std::set<std::string>{"x"});
}

TEST(TemplateTest, AMebibyteGoesIn) {
  const std::string value(std::size_t{1} << 20, '}');
  EXPECT_EQ(Template::Parse("<{x}>")->Expand({{"x", value}}), "<" + value + ">");
}

class HostileValueTest : public CommandTest, public ::testing::WithParamInterface<std::string> {
 protected:
  nlohmann::json Echo() const {
    nlohmann::json json = Shell(R"(printf '%s\0' "$@" >arguments; echo value=1)", {"{s}", "x{s}y", "end"});
    json["parameters"]["s"] = {{"type", "string"}, {"required", true}, {"max_bytes", 65536}, {"allow_dash", true}};
    json["environment"]["set"]["S"] = "{s}";
    return json;
  }
};

TEST_P(HostileValueTest, ReachesTheProgramAsOneArgument) {
  const kit::Status status = Run(Echo(), {{"s", GetParam()}});
  ASSERT_TRUE(status.ok()) << status.error().message;
  const std::string zero(1, '\0');
  EXPECT_EQ(File("arguments"), GetParam() + zero + "x" + GetParam() + "y" + zero + "end" + zero);
}

INSTANTIATE_TEST_SUITE_P(All, HostileValueTest,
                         ::testing::Values("", " ", "a b", "'", "\"", "'\"", "$(touch hacked)", "`touch hacked`",
                                           ";rm -rf x", "a\nb", "\r\n", "\t", "-rf", "--", "--help", "*", "~", "{seed}",
                                           "{{", "\\", "%s%n", "\x01\x7f", "团队 组", "\xff\xfe", "a=b", "<&3", "|cat",
                                           "# x", std::string(60'000, 'x')));

TEST_F(HostileValueTest, NothingElseHappened) {
  ASSERT_TRUE(Run(Echo(), {{"s", "$(touch hacked)"}}).ok());
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(directory_.path()) / "hacked"));
}

struct BadValue {
  const char* name;
  std::string value;
  const char* message;
};

class BadValueTest : public CommandTest, public ::testing::WithParamInterface<BadValue> {};

TEST_P(BadValueTest, IsABadSpec) {
  nlohmann::json json = Shell("echo value=1", {"{i}", "{n}", "{s}", "{e}"});
  json["parameters"] = {{"i", {{"type", "integer"}, {"min", 1}, {"max", 10}, {"default", 1}}},
                        {"n", {{"type", "number"}, {"min", -1}, {"max", 1.5}, {"default", 0}}},
                        {"s", {{"type", "string"}, {"pattern", "[a-z]+"}, {"max_bytes", 4}, {"default", "a"}}},
                        {"e", {{"type", "enum"}, {"choices", {"a", "b"}}, {"default", "b"}}}};
  EXPECT_EQ(CodeOf(json, {{GetParam().name, GetParam().value}}), "BAD_SPEC");
  EXPECT_THAT(message_, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadValueTest,
    ::testing::Values(BadValue{"i", "0", "parameters.i: \"0\"; want an integer from 1 to 10"},
                      BadValue{"i", "1.0", "\"1.0\""}, BadValue{"i", "1 ", "\"1 \""}, BadValue{"i", "0x1", "0x1"},
                      BadValue{"i", "", "\"\""}, BadValue{"i", "99999999999999999999", "9999"},
                      BadValue{"n", "nan", "a number from -1 to 1.5"}, BadValue{"n", "inf", "inf"},
                      BadValue{"n", "1e999", "1e999"}, BadValue{"n", "1,0", "1,0"}, BadValue{"n", "1.6", "1.6"},
                      BadValue{"s", "abcde", "at most 4 bytes"}, BadValue{"s", "a1", "that matches [a-z]+"},
                      BadValue{"s", "a\nb", "\"a?b\""}, BadValue{"s", std::string("a\0b", 3), "want a text"},
                      BadValue{"s", "-a", "not beginning with -"}, BadValue{"e", "c", "one of a b"},
                      BadValue{"x", "1", "want one of e i n s"}));

TEST_F(BadValueTest, ARequiredValueIsMissing) {
  nlohmann::json json = Shell("echo value=1");
  json["parameters"]["s"] = {{"type", "string"}, {"required", true}};
  EXPECT_EQ(CodeOf(json), "BAD_SPEC");
  EXPECT_THAT(message_, HasSubstr("parameters.s: absent"));
}

}  // namespace
}  // namespace benchwire::command
