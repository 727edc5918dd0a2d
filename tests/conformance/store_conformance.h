// The fixture of the suite: an empty store of each engine in turn, and helpers that fail the test where the store
// returns an error.
#ifndef BENCHWIRE_TESTS_CONFORMANCE_STORE_CONFORMANCE_H_
#define BENCHWIRE_TESTS_CONFORMANCE_STORE_CONFORMANCE_H_

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "storage/store.h"
#include "tests/conformance/engines.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {

MATCHER_P(EqualsProto, expected, "equals " + expected.ShortDebugString()) {
  return google::protobuf::util::MessageDifferencer::Equals(arg, expected);
}

class StoreConformance : public testing::TestWithParam<Engine> {
 protected:
  void Write(const WriteFunction& function) { ASSERT_EQ(store_->Write(function), absl::OkStatus()); }
  // A write that must fail, and its error.
  absl::Status FailedWrite(const WriteFunction& function) {
    absl::Status status = store_->Write(function);
    EXPECT_FALSE(status.ok());
    return status;
  }
  // What a function reads.
  template <typename Function>
  auto Read(const Function& function) {
    std::decay_t<decltype(function(std::declval<const View&>()).value())> out;
    const absl::Status status = store_->Read([&](const View& view) -> absl::Status {
      ASSIGN_OR_RETURN(out, function(view));
      return absl::OkStatus();
    });
    EXPECT_EQ(status, absl::OkStatus());
    return out;
  }

  TemporaryDirectory directory_;
  std::atomic<int> commits_ = 0;
  std::unique_ptr<Store> store_ = GetParam().open(directory_.path(), [this] { ++commits_; });
};

inline JobRecord MakeJob(const std::string& id, v1::JobState state = v1::JOB_STATE_QUEUED) {
  JobRecord record;
  record.id = id;
  record.job.set_name(JobName(id));
  record.job.set_display_name("带宽 “quoted” 'single' \"double\" \\ ; DROP TABLE jobs --");
  record.job.set_state(state);
  record.job.set_priority(50);
  record.spec_json = R"({"note":"多卡 it's"})";
  record.queued_at = 1'000;
  return record;
}

template <typename Record>
std::vector<std::string> Ids(const std::vector<Record>& records) {
  std::vector<std::string> out;
  for (const Record& record : records) out.push_back(record.id);
  return out;
}

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_CONFORMANCE_STORE_CONFORMANCE_H_
