// benchwire-p2p from the outside: a person's command line and a worker's contract, on the real host and on a simulated
// driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/p2p/run_program.h"
#include "workers/p2p/cuda/driver.h"

namespace benchwire::p2p {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

const std::string kProgram = P2P_PROGRAM;
const std::string kFakeCuda = std::string("BENCHWIRE_CUDA_LIBRARY=") + FAKE_CUDA_LIBRARY;
const std::string kNoCuda = "BENCHWIRE_CUDA_LIBRARY=/nowhere/libcuda.so.1";
const std::vector<std::string> kQuick = {"--size", "64KiB", "--samples", "6", "--min-sample-time", "0s"};

ProgramRun Invoke(std::vector<std::string> arguments, std::vector<std::string> environment = {kNoCuda},
                  bool events = false) {
  return RunProgram(kProgram, {std::move(arguments), std::move(environment), events, false});
}

std::vector<std::string> Quick(std::vector<std::string> more) {
  more.insert(more.end(), kQuick.begin(), kQuick.end());
  return more;
}

// The events of one kind.
std::vector<Json> Events(const std::string& text, const std::string& kind) {
  std::vector<Json> found;
  for (const std::string& line : Lines(text)) {
    const Json event = Json::parse(line, nullptr, false);
    EXPECT_TRUE(event.is_object() && event.size() == 1) << line;
    if (event.contains(kind)) found.push_back(event[kind]);
  }
  return found;
}

TEST(ProgramTest, DescribesItselfWithoutAGpu) {
  const ProgramRun run = Invoke({"--describe"});
  EXPECT_EQ(run.exit_status, 0);
  const Json description = Json::parse(run.out);
  EXPECT_EQ(description["kind"], "p2p");
  EXPECT_EQ(description["contract_version"], 1);
  EXPECT_EQ(description["backends"], Json({"host"}));
  EXPECT_THAT(description["unavailable_backends"]["cuda"].get<std::string>(), HasSubstr("NO_DRIVER_LIBRARY: "));
}

TEST(ProgramTest, HelpVersionAndList) {
  EXPECT_THAT(Invoke({"--help"}).out, HasSubstr("--min-sample-time"));
  EXPECT_THAT(Invoke({"--version"}).out, HasSubstr("benchwire-p2p "));
  const ProgramRun list = Invoke({"--list"});
  EXPECT_EQ(list.exit_status, 0);
  EXPECT_THAT(list.out, HasSubstr("lat.pingpong"));
  EXPECT_THAT(list.out, HasSubstr("backend cuda unavailable: NO_DRIVER_LIBRARY"));
}

TEST(ProgramTest, ByHandPrintsATableAndTheVerdict) {
  const ProgramRun run = Invoke(Quick({"--case", "bw.local", "--fail-on-verdict"}));
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.out, HasSubstr("median"));
  EXPECT_THAT(run.out, HasSubstr("verdict PASS"));
  EXPECT_THAT(run.err, HasSubstr("warning: FELL_BACK_TO_HOST"));
  EXPECT_THAT(run.err, Not(HasSubstr("\033")));
}

TEST(ProgramTest, JsonHasOnlyEventsOnStandardOutput) {
  const ProgramRun run = Invoke(Quick({"--json", "--backend", "host"}));
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(Events(run.out, "result"), SizeIs(1));
  EXPECT_THAT(Events(run.out, "environment"), SizeIs(1));
  for (const Json& row : Events(run.out, "measurement")) {
    EXPECT_EQ(row["labels"]["backend"], "host");
    EXPECT_FALSE(row.contains("simulated"));
    if (row["status"] == "MEASUREMENT_STATUS_OK") {
      EXPECT_THAT(row["samples"], SizeIs(6));
    }
  }
}

TEST(ProgramTest, AWorkersRunIsReadFromItsVariables) {
  const std::string path = ::testing::TempDir() + "p2p_program_spec.json";
  std::ofstream(path)
      << R"({"backend": "P2P_BACKEND_HOST", "cases": ["bw.local"], "sizes_bytes": ["4096"], "samples": 6})";
  const ProgramRun run = Invoke({}, {kNoCuda, "BENCHWIRE_SPEC=" + path, "BENCHWIRE_SEED=77"}, true);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
  const auto environment = Events(run.events, "environment");
  ASSERT_THAT(environment, SizeIs(1));
  EXPECT_EQ(environment[0]["values"]["seed"], "77");
  EXPECT_THAT(Events(run.events, "result"), SizeIs(1));
}

TEST(ProgramTest, BadSpecsAndUsageExit64AndSayWhy) {
  const std::string path = ::testing::TempDir() + "p2p_bad_spec.json";
  std::ofstream(path) << R"({"sizes_bytes": [0]})";
  const ProgramRun worker = Invoke({}, {kNoCuda, "BENCHWIRE_SPEC=" + path}, true);
  EXPECT_EQ(worker.exit_status, 64);
  ASSERT_THAT(Events(worker.events, "error"), SizeIs(1));
  EXPECT_THAT(Events(worker.events, "error")[0]["message"].get<std::string>(), HasSubstr("sizes_bytes[0]: 0; want"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--nope"}, "--nope"},
      {{"--seed", "-1"}, "--seed: \"-1\""},
      {{"--size", "-.5"}, "--size: \"-.5\""},
      {{"--samples", "0"}, "samples: \"0\""},
      {{"--pair", "core:0"}, "--pair: \"core:0\""},
      {{"--case", "nope"}, "\"nope\" matches no case"},
      {{"--spec", path, "--samples", "3"}, "--spec stands beside"},
      {{"--spec", "/nowhere"}, "/nowhere: No such file"}};
  for (const auto& [arguments, message] : cases) {
    const ProgramRun run = Invoke(arguments);
    EXPECT_EQ(run.exit_status, 64) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
  EXPECT_EQ(Invoke({}, {"BENCHWIRE_SEED=x"}).exit_status, 64);
}

TEST(ProgramTest, SigtermEndsARunThatWouldTakeHours) {
  const ProgramRun run = RunProgram(
      kProgram,
      {{"--backend", "host", "--case", "bw.local", "--samples", "10000", "--min-sample-time", "60s"}, {}, true, true});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(Events(run.events, "result"), IsEmpty());
  ASSERT_THAT(Events(run.events, "error"), SizeIs(1));
  EXPECT_EQ(Events(run.events, "error")[0]["code"], "CANCELLED");
}

TEST(ProgramTest, ASimulatedDriverIsSaidEverywhere) {
  const ProgramRun run = Invoke(Quick({}), {kFakeCuda, "BENCHWIRE_FAKE_CUDA=devices=2"}, true);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  const auto rows = Events(run.events, "measurement");
  EXPECT_THAT(rows, SizeIs(10));
  for (const Json& row : rows) {
    EXPECT_EQ(row["simulated"], true);
    EXPECT_EQ(row["labels"]["backend"], "cuda");
  }
  const Json result = Events(run.events, "result").at(0)["p2p"];
  EXPECT_EQ(result["backend"], "P2P_BACKEND_CUDA");
  EXPECT_EQ(result["simulated"], true);
  for (const Json& endpoint : result["endpoints"]) EXPECT_EQ(endpoint["simulated"], true);
  EXPECT_THAT(result["links"], SizeIs(4));
  const ProgramRun by_hand = Invoke(Quick({}), {kFakeCuda});
  EXPECT_THAT(by_hand.out, HasSubstr("SIMULATED"));
}

TEST(ProgramTest, AFaultyLinkIsAResultAndFailsOnlyWhenAsked) {
  const std::vector<std::string> environment = {kFakeCuda, "BENCHWIRE_FAKE_CUDA=devices=2 drop(0,1)"};
  const ProgramRun run = Invoke(Quick({"--json"}), environment);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(Events(run.out, "result").at(0)["p2p"]["verdict"], "P2P_VERDICT_FAIL");
  EXPECT_EQ(Invoke(Quick({"--fail-on-verdict"}), environment).exit_status, 2);
}

TEST(ProgramTest, ADriverThatIsNotReadyIsWorthAnotherTry) {
  const ProgramRun run = Invoke({"--backend", "cuda"}, {kFakeCuda, "BENCHWIRE_FAKE_CUDA=init=802"});
  EXPECT_EQ(run.exit_status, 75);
  EXPECT_THAT(run.err, HasSubstr("FABRIC_NOT_READY"));
  EXPECT_EQ(Invoke({"--backend", "cuda"}, {kFakeCuda, "BENCHWIRE_FAKE_CUDA=init=100"}).exit_status, 1);
}

TEST(ProgramTest, AFullDeviceIsAnError) {
  const int status =
      std::system(("BENCHWIRE_CUDA_LIBRARY=/nowhere " + kProgram + " --describe > /dev/full 2> /dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(DriverLibraryTest, WhatIsMissingIsNamed) {
  const auto incomplete = cuda::LoadDriver(FAKE_CUDA_INCOMPLETE_LIBRARY);
  ASSERT_FALSE(incomplete.ok());
  EXPECT_EQ(incomplete.error().code, "MISSING_FUNCTION");
  EXPECT_THAT(incomplete.error().message, HasSubstr("exports no cuMemcpyPeerAsync"));
  const auto absent = cuda::LoadDriver("/nowhere/libcuda.so.1");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, "NO_DRIVER_LIBRARY");
}

}  // namespace
}  // namespace benchwire::p2p
