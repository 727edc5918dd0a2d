#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "storage/store.h"
#include "tests/conformance/store_conformance.h"

namespace benchwire::storage {
namespace {

constexpr int kThreads = 8;

v1::Event MakeEvent(const std::string& job) {
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_CREATED);
  event.set_resource(JobName(job));
  return event;
}

// Inserts a job with its event.
absl::Status Create(Transaction& t, const std::string& id) {
  RETURN_IF_ERROR(t.jobs().Insert(MakeJob(id)));
  return t.events().Append(MakeEvent(id));
}

std::string Id(int thread, int number) { return "t" + std::to_string(thread) + "n" + std::to_string(number); }

class TransactionConformance : public StoreConformance {
 protected:
  size_t JobCount() {
    return Read([](const View& v) { return v.jobs().List({}, "", 100'000); }).size();
  }
  static void RunThreads(const std::function<void(int)>& function) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(function, i);
    for (std::thread& thread : threads) thread.join();
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, TransactionConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(TransactionConformance, ATransactionSeesItsOwnChanges) {
  Write([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(t.jobs().Insert(MakeJob("j1")));
    ASSIGN_OR_RETURN(JobRecord record, t.jobs().Get("j1"));
    record.attempt = 1;
    RETURN_IF_ERROR(t.jobs().Update(record));
    return t.jobs().Update(record);
  });
  EXPECT_EQ(Read([](const View& v) { return v.jobs().Get("j1"); }).revision, 3);
}

TEST_P(TransactionConformance, AFailingFunctionLeavesNothingAndItsErrorComesBack) {
  const absl::Status status = FailedWrite([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(Create(t, "j1"));
    v1::Measurement row;
    row.set_metric("bandwidth");
    RETURN_IF_ERROR(t.jobs().PutAttempt({"j1", 1}, v1::Attempt()));
    RETURN_IF_ERROR(t.jobs().AddMeasurements({"j1", 1}, 1, {row}));
    WorkerRecord worker;
    worker.id = "w1";
    RETURN_IF_ERROR(t.workers().Put(worker));
    RETURN_IF_ERROR(t.digests().Insert({"2026-01-14", v1::Digest(), 0}));
    RETURN_IF_ERROR(t.digests().InsertEntry({"2026-01-14", "e", v1::Entry(), 0}));
    RETURN_IF_ERROR(t.digests().InsertEdition({"2026-01-14", 1}, v1::Edition()));
    RETURN_IF_ERROR(t.requests().Insert("CreateJob", "r1", {"hash", "jobs/j1"}));
    return Precondition("CHANGED_MY_MIND", "no");
  });
  EXPECT_EQ(ErrorReason(status), "CHANGED_MY_MIND");
  EXPECT_EQ(JobCount(), 0);
  EXPECT_EQ(Read([](const View& v) { return v.events().LastRevision(); }), 0);
  EXPECT_TRUE(Read([](const View& v) { return v.jobs().ListAttempts("j1"); }).empty());
  EXPECT_TRUE(Read([](const View& v) { return v.jobs().ListMeasurements({{"j1", 1}, "", "", {}, 10}); }).empty());
  EXPECT_TRUE(Read([](const View& v) { return v.workers().List("", 10); }).empty());
  EXPECT_TRUE(Read([](const View& v) { return v.digests().List("", false, 10); }).empty());
  EXPECT_TRUE(Read([](const View& v) { return v.digests().ListEntries("2026-01-14"); }).empty());
  EXPECT_TRUE(Read([](const View& v) { return v.digests().ListEditions("2026-01-14", 0, 10); }).empty());
  EXPECT_FALSE(Read([](const View& v) { return v.requests().Find("CreateJob", "r1"); }).has_value());
}

TEST_P(TransactionConformance, ANestedErrorThatIsHandledDoesNotSpoilTheTransaction) {
  Write([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(Create(t, "j1"));
    const absl::Status taken = t.jobs().Insert(MakeJob("j1"));
    EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists);
    return Create(t, "j2");
  });
  EXPECT_EQ(JobCount(), 2);
}

TEST_P(TransactionConformance, AFailingWriteDoesNotTouchItsNeighbours) {
  constexpr int kWrites = 100;
  std::promise<void> all_done;
  std::atomic<int> left = kWrites;
  std::vector<absl::Status> outcomes(kWrites);
  for (int i = 0; i < kWrites; ++i) {
    store_->WriteAsync(
        [i](Transaction& t) -> absl::Status {
          RETURN_IF_ERROR(Create(t, Id(0, i)));
          return i % 2 == 0 ? absl::OkStatus() : Precondition("ODD", std::to_string(i));
        },
        [&, i](const absl::Status& status) {
          outcomes[static_cast<size_t>(i)] = status;
          if (--left == 0) all_done.set_value();
        });
  }
  all_done.get_future().wait();
  const std::vector<v1::Event> events = Read([](const View& v) { return v.events().List(0, kWrites); });
  ASSERT_EQ(events.size(), kWrites / 2);
  for (int i = 0; i < kWrites; ++i) {
    EXPECT_EQ(ErrorReason(outcomes[static_cast<size_t>(i)]), i % 2 == 0 ? "" : "ODD");
  }
  for (int64_t i = 0; i < kWrites / 2; ++i) {
    EXPECT_EQ(events[static_cast<size_t>(i)].revision(), i + 1);
    EXPECT_EQ(events[static_cast<size_t>(i)].resource(), JobName(Id(0, static_cast<int>(2 * i))));
  }
}

TEST_P(TransactionConformance, AReadErrorComesBack) {
  EXPECT_EQ(ErrorReason(store_->Read([](const View&) { return Precondition("MINE", "x"); })), "MINE");
}

TEST_P(TransactionConformance, AfterCommitComesBeforeTheAnswerAndSeesTheWrite) {
  std::promise<int> commits_at_answer;
  store_->WriteAsync([](Transaction& t) { return Create(t, "j1"); },
                     [&](const absl::Status& status) {
                       EXPECT_EQ(status, absl::OkStatus());
                       EXPECT_EQ(JobCount(), 1);
                       commits_at_answer.set_value(commits_.load());
                     });
  EXPECT_EQ(commits_at_answer.get_future().get(), 1);
}

TEST_P(TransactionConformance, AnAnswerMayStartTheNextWrite) {
  std::promise<absl::Status> second;
  store_->WriteAsync([](Transaction& t) { return Create(t, "j1"); },
                     [&](const absl::Status&) {
                       store_->WriteAsync([](Transaction& t) { return Create(t, "j2"); },
                                          [&](const absl::Status& status) { second.set_value(status); });
                     });
  EXPECT_EQ(second.get_future().get(), absl::OkStatus());
  EXPECT_EQ(JobCount(), 2);
}

TEST_P(TransactionConformance, AReadStaysAtItsMomentWhileOthersWrite) {
  Write([](Transaction& t) { return Create(t, "j1"); });
  EXPECT_EQ(store_->Read([&](const View& v) -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t before, v.events().LastRevision());
    std::thread([&] { Write([](Transaction& t) { return Create(t, "j2"); }); }).join();
    ASSIGN_OR_RETURN(const int64_t after, v.events().LastRevision());
    ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, v.jobs().List({}, "", 10));
    EXPECT_EQ(before, 1);
    EXPECT_EQ(after, 1);
    EXPECT_EQ(jobs.size(), 1);
    return absl::OkStatus();
  }),
            absl::OkStatus());
  EXPECT_EQ(JobCount(), 2);
}

TEST_P(TransactionConformance, ManyWritersAndReadersSeeOneHistory) {
  constexpr int kWrites = 25;
  std::atomic<int> writers = kThreads;
  std::thread readers[2];
  for (std::thread& reader : readers) {
    reader = std::thread([&] {
      int64_t last_seen = 0;
      while (writers > 0) {
        EXPECT_EQ(store_->Read([&](const View& v) -> absl::Status {
          ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, v.jobs().List({}, "", 100'000));
          ASSIGN_OR_RETURN(const int64_t revision, v.events().LastRevision());
          EXPECT_EQ(std::ssize(jobs), revision);
          EXPECT_GE(revision, last_seen);
          last_seen = revision;
          return absl::OkStatus();
        }),
                  absl::OkStatus());
      }
    });
  }
  RunThreads([&](int thread) {
    for (int i = 0; i < kWrites; ++i) {
      const std::string id = Id(thread, i);
      EXPECT_EQ(store_->Write([&](Transaction& t) { return Create(t, id); }), absl::OkStatus());
      // A writer reads what it was told is written.
      EXPECT_EQ(store_->Read([&](const View& v) { return v.jobs().Get(id).status(); }), absl::OkStatus());
    }
    --writers;
  });
  for (std::thread& reader : readers) reader.join();
  const std::vector<v1::Event> events = Read([](const View& v) { return v.events().List(0, 100'000); });
  ASSERT_EQ(events.size(), kThreads * kWrites);
  std::set<std::string> resources;
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].revision(), static_cast<int64_t>(i + 1));
    resources.insert(events[i].resource());
  }
  EXPECT_EQ(resources.size(), events.size());
}

TEST_P(TransactionConformance, OfConditionalUpdatesFromOneStateOneWins) {
  constexpr int kRounds = 10;
  Write([](Transaction& t) { return t.jobs().Insert(MakeJob("j1")); });
  std::atomic<int> wins = 0, losses = 0;
  for (int round = 0; round < kRounds; ++round) {
    const JobRecord seen = Read([](const View& v) { return v.jobs().Get("j1"); });
    RunThreads([&](int thread) {
      JobRecord mine = seen;
      mine.lease.epoch = seen.lease.epoch + 1;
      mine.lease.worker = "w" + std::to_string(thread);
      const absl::Status status = store_->Write([&](Transaction& t) { return t.jobs().Update(mine); });
      if (status.ok()) {
        ++wins;
      } else {
        EXPECT_EQ(ErrorReason(status), "REVISION_CHANGED");
        ++losses;
      }
    });
  }
  EXPECT_EQ(wins, kRounds);
  EXPECT_EQ(losses, kRounds * (kThreads - 1));
  const JobRecord last = Read([](const View& v) { return v.jobs().Get("j1"); });
  EXPECT_EQ(last.lease.epoch, kRounds);
  EXPECT_EQ(last.revision, kRounds + 1);
}

}  // namespace
}  // namespace benchwire::storage
