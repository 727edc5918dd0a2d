// The client library against services in memory, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "clients/cpp/digest_client.h"
#include "clients/cpp/event_client.h"
#include "clients/cpp/fleet_client.h"
#include "clients/cpp/job_client.h"
#include "server/base/status.h"
#include "tests/fakes/fake_random.h"
#include "tests/fakes/fake_services.h"

namespace benchwire::client {
namespace {

using std::chrono::milliseconds;

constexpr RetryPolicy kFast{.max_attempts = 4, .initial_delay = milliseconds(1), .max_delay = milliseconds(5)};
constexpr RetryPolicy kPatient{.max_attempts = 2'000, .initial_delay = milliseconds(1), .max_delay = milliseconds(20)};

class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    server_.Start();
    connection_ = std::make_unique<Connection>(
        ConnectionOptions{
            .server = server_.address(), .call_timeout = milliseconds(5'000), .retry = kFast, .outage = kPatient},
        clock_, random_);
  }

  v1::Job AddJob(v1::JobState state) {
    v1::Job job;
    server_.Change([&](FakeState& fake) {
      job.set_name("jobs/0fake" + std::to_string(fake.jobs.size() + 1));
      job.set_state(state);
      fake.jobs.push_back(job);
      fake.AddEvent(job.name(), v1::EVENT_TYPE_CREATED, v1::JobState_Name(state));
    });
    return job;
  }

  FakeServer server_;
  SystemClock clock_;
  FakeRandom random_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(ClientTest, ACreateWhoseAnswerIsLostMakesOneJob) {
  server_.FailNext("CreateJob", 2, absl::UnavailableError("gone"));
  v1::CreateJobRequest request;
  request.mutable_job()->mutable_p2p();
  const auto job = JobClient(*connection_).Create(request);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(server_.Calls("CreateJob"), 3);
  server_.Change([&](FakeState& state) {
    EXPECT_EQ(state.jobs.size(), 1u);
    ASSERT_EQ(state.creates.size(), 1u);
    EXPECT_EQ(state.creates.begin()->first.size(), 32u);  // An id was drawn.
  });
}

TEST_F(ClientTest, TwoCreatesHaveTwoIds) {
  JobClient jobs(*connection_);
  v1::CreateJobRequest request;
  EXPECT_NE(jobs.Create(request)->name(), jobs.Create(request)->name());
}

TEST_F(ClientTest, ErrorsKeepTheirDetails) {
  const auto job = JobClient(*connection_).Get("jobs/none");
  EXPECT_EQ(job.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorMetadata(job.status(), "resource"), "jobs/none");
}

TEST_F(ClientTest, GivesUpAfterThePolicy) {
  AddJob(v1::JOB_STATE_QUEUED);
  server_.FailNext("GetJob", 100, absl::UnavailableError("gone"));
  EXPECT_EQ(JobClient(*connection_).Get("jobs/0fake1").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server_.Calls("GetJob"), kFast.max_attempts);
}

TEST_F(ClientTest, AnUpdateIsNotRepeated) {
  server_.FailNext("UpdateEntry", 100, absl::UnavailableError("gone"));
  EXPECT_EQ(DigestClient(*connection_).UpdateEntry({}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server_.Calls("UpdateEntry"), 1);
}

TEST_F(ClientTest, ListsGoThroughAllPagesUntilTold) {
  for (int i = 0; i < 25; ++i) AddJob(v1::JOB_STATE_QUEUED);
  JobClient jobs(*connection_);
  std::set<std::string> names;
  EXPECT_TRUE(jobs.List({}, [&](const v1::Job& job) { return names.insert(job.name()).second; }).ok());
  EXPECT_EQ(names.size(), 25u);
  int seen = 0;
  EXPECT_TRUE(jobs.List({}, [&](const v1::Job&) { return ++seen < 3; }).ok());
  EXPECT_EQ(seen, 3);
}

TEST_F(ClientTest, WaitSurvivesARestart) {
  const v1::Job job = AddJob(v1::JOB_STATE_RUNNING);
  int outages = 0;
  std::vector<v1::JobState> seen;
  WaitOptions options;
  options.first_interval = milliseconds(1);
  options.last_interval = milliseconds(5);
  std::thread other;
  options.on_outage = [&](const absl::Status&) {
    if (outages++ > 0) return;
    other = std::thread([&] {
      server_.Start();
      server_.Change([&](FakeState& state) { state.SetJobState(job.name(), v1::JOB_STATE_SUCCEEDED); });
    });
  };
  options.on_progress = [&](const v1::Job& now) {
    if (seen.empty()) server_.Stop();
    seen.push_back(now.state());
  };
  const auto end = JobClient(*connection_).Wait(job.name(), options);
  if (other.joinable()) other.join();
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_GE(outages, 1);
  EXPECT_EQ(seen.front(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(seen.back(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(ClientTest, WaitEndsWithTheToken) {
  const v1::Job job = AddJob(v1::JOB_STATE_RUNNING);
  WaitOptions options;
  options.on_progress = [&](const v1::Job&) { connection_->cancel().Cancel(); };
  EXPECT_EQ(JobClient(*connection_).Wait(job.name(), options).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientTest, WatchLogResumesByOffsetOverARestart) {
  const std::string attempt = "jobs/0fake1/attempts/1";
  server_.Change([&](FakeState& state) {
    state.chunk = 3;
    state.logs[attempt].bytes = "first half, ";
  });
  std::string got;
  std::thread other;
  const absl::Status status = JobClient(*connection_).WatchLog(attempt, 0, [&](const std::string& bytes) {
    got += bytes;
    if (got == "first half, ") {
      other = std::thread([&] {
        server_.Stop();
        server_.Change([&](FakeState& state) {
          state.logs[attempt].bytes += std::string("second \0 half", 13);
          state.logs[attempt].ended = true;
        });
        server_.Start();
      });
    }
    return true;
  });
  other.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(got, std::string("first half, second \0 half", 25));
  EXPECT_GE(server_.Calls("WatchLog"), 2);
}

TEST_F(ClientTest, WatchLogStopsWhenTold) {
  const std::string attempt = "jobs/0fake1/attempts/1";
  server_.Change([&](FakeState& state) { state.logs[attempt].bytes = "abc"; });
  EXPECT_TRUE(JobClient(*connection_)
                  .WatchLog(attempt, 1,
                            [&](const std::string& bytes) {
                              EXPECT_EQ(bytes, "bc");
                              return false;
                            })
                  .ok());
  EXPECT_EQ(JobClient(*connection_).WatchLog("jobs/0/attempts/1", 0, [](const std::string&) { return true; }).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ClientTest, WatchEventsResumesByRevisionOverARestart) {
  const v1::Job job = AddJob(v1::JOB_STATE_QUEUED);
  std::vector<int64_t> revisions;
  std::thread other;
  const absl::Status status = EventClient(*connection_).Watch(0, "jobs/", [&](const v1::Event& event) {
    revisions.push_back(event.revision());
    if (revisions.size() == 1) {
      other = std::thread([&] {
        server_.Stop();
        server_.Change([&](FakeState& state) {
          state.SetJobState(job.name(), v1::JOB_STATE_RUNNING);
          state.AddEvent("workers/w", v1::EVENT_TYPE_UPDATED, "");
          state.SetJobState(job.name(), v1::JOB_STATE_SUCCEEDED);
        });
        server_.Start();
      });
    }
    return event.state() != "JOB_STATE_SUCCEEDED";
  });
  other.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(revisions, testing::ElementsAre(1, 2, 4));
}

TEST_F(ClientTest, ServerTellsItsVersionAndClock) {
  server_.Change([](FakeState& state) { state.clock_offset = std::chrono::hours(6); });
  EXPECT_TRUE(FleetClient(*connection_).List([](const v1::Worker&) { return true; }).ok());
  const ServerFacts facts = connection_->server_facts();
  EXPECT_EQ(facts.version, BENCHWIRE_VERSION);
  ASSERT_TRUE(facts.clock_offset.has_value());
  EXPECT_GT(*facts.clock_offset, std::chrono::hours(5));
}

TEST_F(ClientTest, Health) {
  EXPECT_EQ(*CheckHealth(*connection_), true);
  server_.Stop();
  EXPECT_EQ(CheckHealth(*connection_).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace benchwire::client
