// Every line of real runs against the contract: protobuf's own JSON parser, which refuses unknown fields.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <set>

#include "benchwire/v1/runner.pb.h"
#include "tests/unit/p2p/run_program.h"

namespace benchwire::p2p {
namespace {

void CheckRun(const std::vector<std::string>& environment) {
  const ProgramRun run = RunProgram(
      P2P_PROGRAM,
      {{"--size", "64KiB", "--size", "1MiB", "--samples", "6", "--min-sample-time", "1ms"}, environment, true, false});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  std::set<v1::RunnerEvent::EventCase> kinds;
  for (const std::string& line : Lines(run.events)) {
    ASSERT_LT(line.size(), std::size_t{1} << 20);
    v1::RunnerEvent event;
    const auto status = google::protobuf::util::JsonStringToMessage(line, &event);
    ASSERT_TRUE(status.ok()) << status.ToString() << ": " << line;
    kinds.insert(event.event_case());
    if (event.has_measurement()) {
      const v1::Measurement& row = event.measurement();
      EXPECT_EQ(row.has_value(), row.status() == v1::MEASUREMENT_STATUS_OK) << line;
      EXPECT_EQ(row.reason_code().empty(), row.status() == v1::MEASUREMENT_STATUS_OK) << line;
      EXPECT_TRUE(row.name().empty());
      if (row.has_interval()) {
        EXPECT_LE(row.interval().low(), row.value());
        EXPECT_GE(row.interval().high(), row.value());
        EXPECT_GE(row.interval().confidence(), 0.95);
      }
    }
    if (event.has_result()) {
      EXPECT_NE(event.result().p2p().backend(), v1::P2P_BACKEND_AUTO);
      EXPECT_NE(event.result().p2p().verdict(), v1::P2P_VERDICT_UNSPECIFIED);
      EXPECT_GT(event.result().p2p().verified_bytes(), 0);
    }
  }
  for (auto kind : {v1::RunnerEvent::kProgress, v1::RunnerEvent::kPoint, v1::RunnerEvent::kMeasurement,
                    v1::RunnerEvent::kResult, v1::RunnerEvent::kEnvironment}) {
    EXPECT_EQ(kinds.count(kind), 1u) << kind;
  }
}

TEST(ContractTest, EveryLineOfAHostRun) { CheckRun({"BENCHWIRE_CUDA_LIBRARY=/nowhere"}); }

TEST(ContractTest, EveryLineOfASimulatedRunWithFaults) {
  CheckRun({std::string("BENCHWIRE_CUDA_LIBRARY=") + FAKE_CUDA_LIBRARY,
            "BENCHWIRE_FAKE_CUDA=devices=3 drop(0,1) enable(1,0)=205 no_access(2,0)"});
}

}  // namespace
}  // namespace benchwire::p2p
