#include "storage/sqlite/group_commit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "server/base/status.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {
namespace {

class GroupCommitTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(connection_->Execute("CREATE TABLE numbers (number INTEGER NOT NULL PRIMARY KEY) STRICT"),
              absl::OkStatus());
    insert_ = std::make_unique<Command<int64_t>>(connection_->session(), "INSERT INTO numbers VALUES (:number)");
    commit_ = std::make_unique<GroupCommit>(*connection_, [this] { ++commits_; });
  }
  // A write that keeps the writer busy until Release.
  void Occupy() {
    std::promise<void> busy;
    commit_->Add({[&busy, this] {
                    busy.set_value();
                    released_.get_future().wait();
                    return absl::OkStatus();
                  },
                  [](const absl::Status&) {}});
    busy.get_future().wait();
  }
  void Release() { released_.set_value(); }
  std::future<absl::Status> Add(int64_t number, size_t bytes = 0) {
    auto outcome = std::make_shared<std::promise<absl::Status>>();
    commit_->Add({[this, number] { return insert_->Execute(number).status(); },
                  [outcome](const absl::Status& status) { outcome->set_value(status); }, bytes});
    return outcome->get_future();
  }
  static bool IsAnswered(const std::future<absl::Status>& outcome) {
    return outcome.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Connection> connection_ =
      Connection::Open(directory_.path() + "/test.db", Access::kReadWrite).value();
  std::atomic<int> commits_ = 0;
  std::promise<void> released_;
  std::unique_ptr<Command<int64_t>> insert_;
  std::unique_ptr<GroupCommit> commit_;
};

TEST_F(GroupCommitTest, WaitingWritesShareOneCommitAndFailApart) {
  Occupy();
  std::vector<std::future<absl::Status>> outcomes;
  for (int64_t i = 0; i < 100; ++i) outcomes.push_back(Add(i / 2));
  Release();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const absl::StatusCode expected = i % 2 == 0 ? absl::StatusCode::kOk : absl::StatusCode::kAlreadyExists;
    EXPECT_EQ(outcomes[i].get().code(), expected) << i;
  }
  EXPECT_EQ(commits_, 2);
}

TEST_F(GroupCommitTest, StopCommitsWhatWaitsAndRefusesTheRest) {
  Occupy();
  auto waiting = Add(1);
  commit_->Stop();
  auto late = Add(2);
  ASSERT_TRUE(IsAnswered(late));
  const absl::Status refusal = late.get();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ErrorReason(refusal), "STOPPING");
  EXPECT_FALSE(IsAnswered(waiting));
  Release();
  EXPECT_EQ(waiting.get(), absl::OkStatus());
  commit_->Stop();
  EXPECT_EQ(ErrorReason(Add(3).get()), "STOPPING");
}

TEST_F(GroupCommitTest, TheEndCommitsWhatWaits) {
  Occupy();
  auto waiting = Add(1);
  Release();
  commit_.reset();
  ASSERT_TRUE(IsAnswered(waiting));
  EXPECT_EQ(waiting.get(), absl::OkStatus());
}

TEST_F(GroupCommitTest, AFullQueueRefusesAtOnceAndRecovers) {
  Occupy();
  std::vector<std::future<absl::Status>> outcomes;
  for (size_t i = 0; i < GroupCommit::kMaxQueued; ++i) outcomes.push_back(Add(static_cast<int64_t>(i)));
  auto refused = Add(-1);
  ASSERT_TRUE(IsAnswered(refused));
  const absl::Status refusal = refused.get();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorReason(refusal), "QUEUE_FULL");
  Release();
  for (auto& outcome : outcomes) EXPECT_EQ(outcome.get(), absl::OkStatus());
  EXPECT_EQ(Add(-2).get(), absl::OkStatus());
}

TEST_F(GroupCommitTest, TheQueueIsBoundInBytesToo) {
  Occupy();
  auto first = Add(1, GroupCommit::kMaxQueuedBytes / 2);
  auto second = Add(2, GroupCommit::kMaxQueuedBytes / 2);
  EXPECT_EQ(ErrorReason(Add(3, 1).get()), "QUEUE_FULL");
  auto light = Add(4);
  Release();
  EXPECT_EQ(first.get(), absl::OkStatus());
  EXPECT_EQ(second.get(), absl::OkStatus());
  EXPECT_EQ(light.get(), absl::OkStatus());
  EXPECT_EQ(Add(3, GroupCommit::kMaxQueuedBytes).get(), absl::OkStatus());
}

}  // namespace
}  // namespace benchwire::storage
