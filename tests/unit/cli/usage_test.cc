// Help, versions, bad command lines, completion scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/run_cli.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Usage, HelpIsEverywhereAndHasExamples) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{},
                                                                                       {"submit", "p2p"},
                                                                                       {"submit", "command"},
                                                                                       {"jobs", "ls"},
                                                                                       {"jobs", "explain"},
                                                                                       {"jobs", "logs"},
                                                                                       {"rerun"},
                                                                                       {"digests", "show"},
                                                                                       {"entries", "edit"},
                                                                                       {"workers", "drain"},
                                                                                       {"doctor"},
                                                                                       {"completion"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const Result result = RunCli(arguments);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Examples:\n  "));
    EXPECT_EQ(result.err, "");
  }
  EXPECT_THAT(RunCli({"--help"}).out, HasSubstr("Exit status:"));
  EXPECT_EQ(RunCli({"--version"}).out, "benchwire " BENCHWIRE_VERSION "\n");
}

TEST(Usage, BadCommandLinesSayWhat) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "required"},
      {{"job", "ls"}, "'job' is not a command of benchwire"},
      {{"jobs", "list"}, "'list' is not a command of benchwire jobs"},
      {{"jobs", "show"}, "job is required"},
      {{"jobs", "ls", "--nonsense"}, "--nonsense"},
      {{"jobs", "ls", "--limit", "0"}, "--limit: '0'"},
      {{"jobs", "ls", "--state", "sleeping"}, "--state: 'sleeping' is not valid; expected one of QUEUED, ASSIGNED"},
      {{"submit", "p2p", "--seed", "-1"}, "--seed: '-1' is not valid"},
      {{"submit", "p2p", "--seed=-1"}, "--seed: '-1' is not valid"},
      {{"submit", "p2p", "--seed", ""}, "--seed: ''"},
      {{"submit", "p2p", "--seed", "1", "--seed", "2"}, "--seed"},
      {{"submit", "p2p", "--min-sample-time", "-.2"}, "--min-sample-time: '-.2'"},
      {{"submit", "p2p", "--queue-ttl", "5"}, "--queue-ttl: '5'"},
      {{"submit", "p2p", "--label", "x"}, "--label: 'x' is not valid; expected KEY=VALUE"},
      {{"submit", "p2p", "--label", "a=1", "--label", "a=2"}, "each key once"},
      {{"submit", "p2p", "--pair", "gpu:0"}, "--pair: 'gpu:0'"},
      {{"submit", "p2p", "--backend", "rocm"}, "--backend: 'rocm' is not valid; expected auto, cuda or host"},
      {{"jobs", "show", "--", "-x"}, "job: '-x'"},
      {{"jobs", "logs", "--json", "1"}, "--json"},
      {{"rerun", "1", "--fail-on-verdict"}, "need --here"},
      {{"digests", "show", "2026-02-30"}, "digest: '2026-02-30'"},
      {{"digests", "show", "today", "--draft", "--edition", "1"}, "--draft"},
      {{"digests", "show", "today", "--lang", "fr"}, "--lang: 'fr'"},
      {{"entries", "show", "p2p"}, "entry: 'p2p'"},
      {{"completion", "tcsh"}, "shell: 'tcsh'"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = RunCli(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }
}

TEST(Usage, TextFromTheCommandLineIsNotEchoedRaw) {
  EXPECT_THAT(RunCli({"jobs", "show", "\x1b[31mred"}).err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RunCli({"\x1b[31mred"}).err, Not(HasSubstr("\x1b")));
}

TEST(Usage, NoServer) {
  const Result result = RunCli({"jobs", "ls", "--server", "127.0.0.1:1"});
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, HasSubstr("cannot reach the server at 127.0.0.1:1"));
  EXPECT_THAT(RunCli({"jobs", "ls"}, {.environment = {{"BENCHWIRE_SERVER", "127.0.0.1:2"}}}).err,
              HasSubstr("127.0.0.1:2"));
}

TEST(Completion, BashCompletesTheRealTree) {
  const std::string script = RunCli({"completion", "bash"}).out;
  TempDirectory directory;
  const std::string file = directory.Write("completion.bash", script + R"(
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _benchwire; echo "${COMPREPLY[*]}"; }
try benchwire jo
try benchwire jobs can
try benchwire jobs exp
try benchwire --json jobs ls --st
try benchwire submit p2p --pair-
)");
  std::FILE* pipe = ::popen(("bash " + file).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string out(4096, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_EQ(out, "jobs\ncancel\nexplain\n--state\n--pair-deadline\n");
}

TEST(Completion, OtherShellsHaveEveryCommand) {
  for (const char* shell : {"zsh", "fish"}) {
    const Result result = RunCli({"completion", shell});
    EXPECT_EQ(result.code, 0);
    for (const char* word : {"benchwire jobs measurements", "benchwire entries ready", "pair-deadline"}) {
      EXPECT_THAT(result.out, HasSubstr(word)) << shell;
    }
  }
}

}  // namespace
}  // namespace benchwire::cli
