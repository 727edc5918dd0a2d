// The lines of the kit against the contract itself: protobuf's own JSON parser, which refuses unknown fields and enum
// names.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "benchwire/v1/runner.pb.h"
#include "workers/kit/events.h"
#include "workers/kit/runner.h"

namespace benchwire::kit {
namespace {

v1::RunnerEvent Parsed(const Event& event) {
  v1::RunnerEvent parsed;
  const Result<std::string> line = EventLine(event);
  EXPECT_TRUE(line.ok());
  const auto status = google::protobuf::util::JsonStringToMessage(*line, &parsed);
  EXPECT_TRUE(status.ok()) << status.ToString() << ": " << *line;
  return parsed;
}

TEST(EventContractTest, EveryFieldArrives) {
  const v1::RunnerEvent progress = Parsed(Progress{0.25, "m", std::chrono::milliseconds(1500)});
  EXPECT_EQ(progress.progress().fraction(), 0.25);
  EXPECT_EQ(progress.progress().remaining().nanos(), 500'000'000);
  EXPECT_EQ(Parsed(Point{"m", 1LL << 53, 0.5, {}}).point().step(), 1LL << 53);
  EXPECT_EQ(Parsed(Warning{"A", "b"}).warning().code(), "A");
  EXPECT_EQ(Parsed(Failure{"A", "b"}).error().message(), "b");
  EXPECT_EQ(Parsed(Environment{{{"k", "v"}}}).environment().values().at("k"), "v");
  EXPECT_TRUE(Parsed(TypedResult{"p2p", R"({"simulated": true})"}).result().p2p().simulated());
}

TEST(EventContractTest, EveryRowStatusAndDirectionIsKnown) {
  for (RowStatus status : {RowStatus::kOk, RowStatus::kFailed, RowStatus::kWaived, RowStatus::kError,
                           RowStatus::kTimeout, RowStatus::kInconclusive}) {
    for (Direction direction : {Direction::kHigher, Direction::kLower, Direction::kNone}) {
      Measurement row;
      row.metric = "bandwidth";
      row.case_id = "bw.local";
      row.unit = "B/s";
      row.direction = direction;
      row.value = 2;
      row.estimator = "median";
      row.interval = statistics::Interval{1, 3, 0.95, statistics::kMedianMethod};
      row.samples = {1, 2, 3};
      row.labels = {{"src", "core:0"}};
      row.status = status;
      row.reason_code = "R";
      row.reason = "why";
      row.simulated = true;
      const v1::Measurement parsed = Parsed(row).measurement();
      EXPECT_EQ(v1::MeasurementStatus_Name(parsed.status()), "MEASUREMENT_STATUS_" + StatusName(status));
      EXPECT_NE(parsed.direction(), v1::DIRECTION_UNSPECIFIED);
      EXPECT_EQ(parsed.case_(), "bw.local");
      EXPECT_EQ(parsed.interval().method(), "median-order-statistic");
      EXPECT_EQ(parsed.samples_size(), 3);
      EXPECT_TRUE(parsed.simulated());
    }
  }
}

TEST(EventContractTest, TheDescriptionIsTheContracts) {
  v1::RunnerDescription parsed;
  const std::string line = DescriptionJson({"p2p", "0.1.0", {"host"}, {{"cuda", "NO_DRIVER_LIBRARY: none"}}});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &parsed).ok()) << line;
  EXPECT_EQ(parsed.contract_version(), 1);
  EXPECT_EQ(parsed.unavailable_backends().at("cuda"), "NO_DRIVER_LIBRARY: none");
}

}  // namespace
}  // namespace benchwire::kit
