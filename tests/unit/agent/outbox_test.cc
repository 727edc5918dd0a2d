#include "workers/agent/outbox.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/fake_clock.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

class OutboxTest : public ::testing::Test {
 protected:
  // What can be sent now.
  std::optional<v1::ReportRequest> Next() { return outbox_.NextMessage(milliseconds(0)); }
  std::vector<int64_t> Sequences() {
    std::vector<int64_t> out;
    while (auto message = Next()) out.push_back(message->sequence());
    return out;
  }
  static v1::Point PointAt(int64_t step) {
    v1::Point point;
    point.set_metric("m");
    point.set_step(step);
    return point;
  }
  // `count` batches of a byte each.
  void MakeBatches(int count) {
    for (int i = 0; i < count; ++i) {
      outbox_.AppendLog("x");
      clock_.Advance(milliseconds(200));
      ASSERT_TRUE(Next().has_value());
    }
  }

  FakeClock clock_;
  int rooms_ = 0;
  Outbox outbox_{OutboxLimits(), clock_, [this] { ++rooms_; }};
};

TEST_F(OutboxTest, WaitsForCompanyUntilTheFlushInterval) {
  outbox_.AppendLog("a");
  clock_.Advance(milliseconds(199));
  outbox_.AppendLog("b");
  EXPECT_FALSE(Next().has_value());
  clock_.Advance(milliseconds(1));
  const auto message = Next();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->sequence(), 1);
  EXPECT_EQ(message->log(), "ab");
  EXPECT_FALSE(Next().has_value());
}

TEST_F(OutboxTest, CutsBatchesAtEachLimit) {
  outbox_.AppendLog(std::string(size_t{300} << 10, 'l'));
  for (int i = 0; i < 700; ++i) outbox_.Append(PointAt(i));
  const auto first = Next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->log().size(), size_t{256} << 10);
  EXPECT_EQ(first->points_size(), 500);
  const auto second = Next();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->log().size(), size_t{44} << 10);
  EXPECT_EQ(second->points_size(), 200);
  EXPECT_EQ(second->points(0).step(), 500);
}

TEST_F(OutboxTest, KeepsMessagesUnderAMebibyte) {
  v1::Measurement row;
  for (int i = 0; i < 100'000; ++i) row.add_samples(1);
  outbox_.AppendLog(std::string(size_t{200} << 10, 'l'));
  for (int i = 0; i < 3; ++i) outbox_.Append(row);
  outbox_.Finish();
  int rows = 0;
  while (const auto message = Next()) {
    EXPECT_LE(message->ByteSizeLong(), size_t{1} << 20);
    rows += message->measurements_size();
  }
  EXPECT_EQ(rows, 3);
}

TEST_F(OutboxTest, SendsAgainAfterARestartWhatWasNotAcknowledged) {
  MakeBatches(4);
  outbox_.OnResponse(2, 3);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{}));
  outbox_.Restart();
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{3, 4}));
  EXPECT_GT(rooms_, 0);
}

TEST_F(OutboxTest, AnOrdinaryAcknowledgementAsksForNothing) {
  MakeBatches(4);
  outbox_.OnResponse(1, 2);
  outbox_.OnResponse(2, 3);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{}));
}

TEST_F(OutboxTest, AGapIsFilledOncePerInterval) {
  MakeBatches(4);
  outbox_.OnResponse(1, 2);
  // Batches 3 and 4 came without 2.
  outbox_.OnResponse(1, 2);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{2, 3, 4}));
  outbox_.OnResponse(1, 2);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{}));
  clock_.Advance(milliseconds(500));
  outbox_.OnResponse(1, 2);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{2, 3, 4}));
}

TEST_F(OutboxTest, HoldsBatchesBackBeyondTheWindow) {
  MakeBatches(16);
  outbox_.AppendLog("more");
  clock_.Advance(milliseconds(1000));
  EXPECT_FALSE(Next().has_value());
  outbox_.OnResponse(1, 2);
  const auto message = Next();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->sequence(), 17);
}

TEST_F(OutboxTest, HasNoRoomAtItsBounds) {
  for (int i = 0; i < 3999; ++i) outbox_.Append(PointAt(i));
  EXPECT_TRUE(outbox_.HasRoom());
  outbox_.Append(PointAt(3999));
  EXPECT_FALSE(outbox_.HasRoom());
  ASSERT_TRUE(Next().has_value());
  EXPECT_TRUE(outbox_.HasRoom());
}

TEST_F(OutboxTest, CoalescesProgress) {
  v1::Progress progress;
  progress.set_fraction(0.1);
  outbox_.SetProgress(progress);
  auto message = Next();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->sequence(), 0);
  for (int i = 2; i < 6; ++i) {
    progress.set_fraction(i / 10.0);
    outbox_.SetProgress(progress);
  }
  EXPECT_FALSE(Next().has_value());
  clock_.Advance(milliseconds(200));
  message = Next();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->progress().fraction(), 0.5);
  EXPECT_FALSE(Next().has_value());
}

TEST_F(OutboxTest, FinishNumbersAllThatWaits) {
  outbox_.AppendLog(std::string(size_t{600} << 10, 'l'));
  outbox_.Finish();
  EXPECT_EQ(outbox_.last_sequence(), 3);
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_FALSE(outbox_.WaitAcknowledged(milliseconds(0)));
  EXPECT_TRUE(outbox_.Rewind(2));
  EXPECT_EQ(Sequences(), (std::vector<int64_t>{2, 3}));
  outbox_.OnResponse(3, 4);
  EXPECT_TRUE(outbox_.WaitAcknowledged(milliseconds(0)));
  EXPECT_FALSE(outbox_.Rewind(2));
}

}  // namespace
}  // namespace benchwire::agent
