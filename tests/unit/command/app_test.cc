// benchwire-command from the outside: a person's command line, and the worker's contract checked with protobuf's own
// parser.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "benchwire/v1/runner.pb.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/p2p/run_program.h"

namespace benchwire {
namespace {

using p2p::Lines;
using p2p::ProgramRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kExamples = std::string("BENCHWIRE_COMMANDS=") + BENCHWIRE_EXAMPLE_COMMANDS;
const std::string kPath = "PATH=/usr/bin:/bin";

ProgramRun Invoke(std::vector<std::string> arguments, std::vector<std::string> environment = {kExamples, kPath},
                  bool events = false, bool terminate = false) {
  return p2p::RunProgram(COMMAND_PROGRAM, {std::move(arguments), std::move(environment), events, terminate});
}

v1::RunnerDescription Described(const ProgramRun& run) {
  v1::RunnerDescription out;
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &out).ok()) << run.out;
  return out;
}

TEST(AppTest, DescribesTheCommandsThatCanRunHere) {
  const v1::RunnerDescription description = Described(Invoke({"--describe"}));
  EXPECT_EQ(description.kind(), "command");
  EXPECT_EQ(description.contract_version(), 1);
  const std::set<std::string> offered(description.backends().begin(), description.backends().end());
  EXPECT_TRUE(offered.contains("sort-lines"));
  EXPECT_FALSE(offered.contains("pymarl"));
  EXPECT_THAT(description.unavailable_backends().at("pymarl"), HasSubstr("NO_PROGRAM: "));
  EXPECT_THAT(Described(Invoke({"--describe"}, {kPath})).backends(), IsEmpty());
}

TEST(AppTest, ABadDefinitionIsRefusedEverywhere) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/x.json")
      << R"({"name": "x", "argv": ["true"], "output": {"contract": true}, "y": 1})";
  for (const char* flag : {"--describe", "--list", "x"}) {
    const ProgramRun run = Invoke({flag, "--commands", directory.path()}, {kPath});
    EXPECT_EQ(run.exit_status, 64) << flag;
    EXPECT_THAT(run.err, HasSubstr("x.json: \"y\": 1; want no such field"));
  }
}

TEST(AppTest, HelpListAndBadUsage) {
  EXPECT_THAT(Invoke({"--help"}).out, HasSubstr("--param"));
  EXPECT_THAT(Invoke({"--version"}).out, HasSubstr("benchwire-command "));
  EXPECT_THAT(Invoke({"--list"}).out, HasSubstr("sort-lines: "));
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"--nonsense"},
                                             {"--param", "a=1"},
                                             {"sort-lines", "--param", "lines"},
                                             {"sort-lines", "--param", "lines=1", "--param", "lines=2"},
                                             {"sort-lines", "--param", "lines=0"},
                                             {"sort-lines", "--seed", "-1"},
                                             {"sort-lines", "--spec", "x"},
                                             {"--spec", "/nowhere"}}) {
    const ProgramRun run = Invoke(arguments);
    EXPECT_EQ(run.exit_status, 64);
    EXPECT_THAT(run.err, HasSubstr("error: ")) << ::testing::PrintToString(arguments);
  }
  EXPECT_THAT(Invoke({"nope"}).err, HasSubstr("NO_COMMAND"));
}

TEST(AppTest, APersonSeesATable) {
  const ProgramRun run = Invoke({"sort-lines", "--param", "lines=100", "--param", "repetitions=6"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("peak_memory  sort-lines  lines=100"));
  EXPECT_THAT(run.err, HasSubstr("sorted in "));
}

TEST(AppTest, EveryLineIsOfTheContract) {
  const TemporaryDirectory directory;
  const std::string spec = directory.path() + "/spec.json";
  std::ofstream(spec) << R"({"command": "sort-lines", "parameters": {"lines": "100"}})";
  const ProgramRun run = Invoke({"--work-dir", directory.path() + "/work"},
                                {kExamples, kPath, "BENCHWIRE_SPEC=" + spec, "BENCHWIRE_SEED=7"}, true);
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("sorted in "));
  std::set<v1::RunnerEvent::EventCase> kinds;
  v1::CommandResult result;
  for (const std::string& line : Lines(run.events)) {
    v1::RunnerEvent event;
    const auto status = google::protobuf::util::JsonStringToMessage(line, &event);
    ASSERT_TRUE(status.ok()) << status.ToString() << ": " << line;
    kinds.insert(event.event_case());
    if (event.has_result()) result = event.result().command();
  }
  EXPECT_EQ(kinds.size(), 5U);
  EXPECT_EQ(result.command(), "sort-lines");
  EXPECT_THAT(result.program_version(), HasSubstr("coreutils"));
  EXPECT_THAT(result.arguments(), ElementsAre("/bin/bash", "{definition_dir}/sort-lines.sh", "100", "10", "7"));
  EXPECT_EQ(result.points(), 10);
}

TEST(AppTest, SigtermEndsProgramAndRunner) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() + "/x.json")
      << R"({"name": "x", "argv": ["sleep", "1000"], "output": {"contract": true}})";
  std::ofstream(directory.path() + "/spec") << R"({"command": "x"})";
  const ProgramRun run = Invoke({"--commands", directory.path(), "--work-dir", directory.path() + "/work"},
                                {kPath, "BENCHWIRE_SPEC=" + directory.path() + "/spec"}, true, true);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.events, Not(HasSubstr("\"result\"")));
}

}  // namespace
}  // namespace benchwire
