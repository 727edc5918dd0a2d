#include "storage/job_store.h"

#include <string>
#include <vector>

#include "tests/conformance/store_conformance.h"

namespace benchwire::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class JobStoreConformance : public StoreConformance {
 protected:
  void Insert(const JobRecord& record) {
    Write([&](Transaction& t) { return t.jobs().Insert(record); });
  }
  void Update(JobRecord& record) {
    Write([&](Transaction& t) { return t.jobs().Update(record); });
  }
  JobRecord Get(const std::string& id) {
    return Read([&](const View& v) { return v.jobs().Get(id); });
  }
  std::vector<std::string> List(const std::vector<v1::JobState>& states, const std::string& before, int64_t limit) {
    return Ids(Read([&](const View& v) { return v.jobs().List(states, before, limit); }));
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, JobStoreConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(JobStoreConformance, InsertedJobIsReadBackAsNew) {
  JobRecord record = MakeJob("j1");
  record.attempt = 7;
  record.lease = {3, "token", "worker", "incarnation", "request"};
  record.revision = 9;
  Insert(record);
  const JobRecord stored = Get("j1");
  EXPECT_EQ(stored.id, "j1");
  EXPECT_THAT(stored.job, EqualsProto(record.job));
  EXPECT_EQ(stored.spec_json, record.spec_json);
  EXPECT_EQ(stored.queued_at, 1'000);
  EXPECT_EQ(stored.attempt, 0);
  EXPECT_EQ(stored.lease, LeaseRecord());
  EXPECT_EQ(stored.revision, 1);
}

TEST_P(JobStoreConformance, InsertRefusesATakenId) {
  Insert(MakeJob("j1"));
  JobRecord other = MakeJob("j1");
  other.job.set_display_name("other");
  const absl::Status status = FailedWrite([&](Transaction& t) { return t.jobs().Insert(other); });
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrorReason(status), "ALREADY_EXISTS");
  EXPECT_THAT(Get("j1").job, EqualsProto(MakeJob("j1").job));
  Insert(MakeJob("j2"));  // The statement works after its error.
}

TEST_P(JobStoreConformance, GetOfAMissingJobIsNotFound) {
  const absl::Status status = store_->Read([](const View& v) { return v.jobs().Get("nosuch").status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(status), "NOT_FOUND");
}

TEST_P(JobStoreConformance, UpdateKeepsAllButTheSpec) {
  Insert(MakeJob("j1"));
  JobRecord record = Get("j1");
  record.job.set_state(v1::JOB_STATE_ASSIGNED);
  record.job.set_priority(80);
  record.spec_json = "changed";
  record.queued_at = 2'000;
  record.attempt = 1;
  record.lease = {1, "token", "worker", "incarnation", "request"};
  Update(record);
  EXPECT_EQ(record.revision, 2);
  const JobRecord stored = Get("j1");
  EXPECT_THAT(stored.job, EqualsProto(record.job));
  EXPECT_EQ(stored.spec_json, MakeJob("j1").spec_json);
  EXPECT_EQ(stored.queued_at, 2'000);
  EXPECT_EQ(stored.attempt, 1);
  EXPECT_EQ(stored.lease, record.lease);
  EXPECT_EQ(stored.revision, 2);
}

TEST_P(JobStoreConformance, UpdateOfAnotherRevisionChangesNothing) {
  Insert(MakeJob("j1"));
  JobRecord stale = Get("j1");
  JobRecord fresh = stale;
  Update(fresh);
  stale.job.set_state(v1::JOB_STATE_CANCELLED);
  const absl::Status status = FailedWrite([&](Transaction& t) { return t.jobs().Update(stale); });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(status), "REVISION_CHANGED");
  EXPECT_EQ(stale.revision, 1);
  EXPECT_EQ(Get("j1").job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(Get("j1").revision, 2);
}

TEST_P(JobStoreConformance, UpdateOfAMissingJobIsRefused) {
  JobRecord record = MakeJob("nosuch");
  record.revision = 1;
  const absl::Status status = FailedWrite([&](Transaction& t) { return t.jobs().Update(record); });
  EXPECT_EQ(ErrorReason(status), "REVISION_CHANGED");
}

TEST_P(JobStoreConformance, ListIsNewestFirstBelowABound) {
  for (const char* id : {"b", "d", "a", "zzz", "c"}) Insert(MakeJob(id));
  EXPECT_THAT(List({}, "", 100), ElementsAre("zzz", "d", "c", "b", "a"));
  EXPECT_THAT(List({}, "", 2), ElementsAre("zzz", "d"));
  EXPECT_THAT(List({}, "d", 2), ElementsAre("c", "b"));
  EXPECT_THAT(List({}, "cc", 1), ElementsAre("c"));
  EXPECT_THAT(List({}, "a", 10), IsEmpty());
}

TEST_P(JobStoreConformance, ListInStatesSeesEveryState) {
  std::vector<v1::JobState> all;
  for (int state = v1::JobState_MIN + 1; state <= v1::JobState_MAX; ++state) {
    all.push_back(static_cast<v1::JobState>(state));
    Insert(MakeJob("j" + std::to_string(state), all.back()));
  }
  for (v1::JobState state : all) EXPECT_THAT(List({state}, "", 10), ElementsAre("j" + std::to_string(state)));
  EXPECT_EQ(List(all, "", 100).size(), all.size());
  EXPECT_THAT(List({v1::JOB_STATE_QUEUED, v1::JOB_STATE_FAILED, v1::JOB_STATE_EXPIRED}, "j9", 100),
              ElementsAre("j5", "j1"));
  EXPECT_THAT(List({v1::JOB_STATE_QUEUED, v1::JOB_STATE_FAILED}, "", 1), ElementsAre("j5"));
}

class QueueConformance : public JobStoreConformance {
 protected:
  struct Place {
    int priority = 50;
    std::string submitter = "ann";
    std::string shape = "s";
    int64_t queued_at = 10;
    int64_t earliest_start = 0;
    int64_t expires_at = 0;
    v1::JobState state = v1::JOB_STATE_QUEUED;
  };
  void Queue(const std::string& id, const Place& place) {
    JobRecord record = MakeJob(id, place.state);
    record.job.set_priority(place.priority);
    record.job.set_submitter(place.submitter);
    record.shape = place.shape;
    record.queued_at = place.queued_at;
    SetEarliestStart(record, place.earliest_start);
    record.expires_at = place.expires_at;
    Insert(record);
  }
  static void SetEarliestStart(JobRecord& record, int64_t time) {
    record.job.clear_earliest_start_time();
    if (time == 0) return;
    record.job.mutable_earliest_start_time()->set_seconds(time / 1'000'000'000);
    record.job.mutable_earliest_start_time()->set_nanos(static_cast<int32_t>(time % 1'000'000'000));
  }
  std::vector<std::string> Queued(int64_t now, int64_t per_group) {
    return Ids(Read([&](const View& v) { return v.jobs().ListQueued(now, per_group); }));
  }
  std::vector<std::string> Expired(int64_t now, int64_t limit = 100) {
    return Ids(Read([&](const View& v) { return v.jobs().ListExpired(now, limit); }));
  }
  int64_t NextEarliestStart(int64_t now) {
    return Read([&](const View& v) { return v.jobs().NextEarliestStart(now); });
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, QueueConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(QueueConformance, AStartFurtherAheadThanAnyDelayDoesNotHold) {
  const int64_t longest = kLongestDelay.count();
  Queue("soon", {.queued_at = 1, .earliest_start = longest + 5});
  Queue("clock-was-set-back", {.queued_at = 2, .earliest_start = longest + 6});
  EXPECT_THAT(Queued(5, 100), ElementsAre("clock-was-set-back"));
  EXPECT_THAT(Queued(longest + 5, 100), ElementsAre("soon"));
}

TEST_P(QueueConformance, TheFirstOfEachPrioritySubmitterAndShape) {
  Queue("b", {.queued_at = 20});
  Queue("a", {.queued_at = 20});
  Queue("early", {.queued_at = 10});
  Queue("late", {.queued_at = 30});
  Queue("other-shape", {.shape = "t", .queued_at = 40});
  Queue("bob", {.submitter = "bob", .queued_at = 50});
  Queue("high", {.priority = 100, .queued_at = 99});
  Queue("low", {.priority = 0, .submitter = "", .shape = "", .queued_at = 1});
  Queue("running", {.priority = 100, .queued_at = 1, .state = v1::JOB_STATE_RUNNING});
  EXPECT_THAT(Queued(1'000, 100), ElementsAre("low", "early", "a", "b", "late", "other-shape", "bob", "high"));
  EXPECT_THAT(Queued(1'000, 2), ElementsAre("low", "early", "a", "other-shape", "bob", "high"));
  EXPECT_THAT(Queued(1'000, 1), ElementsAre("low", "early", "other-shape", "bob", "high"));
  JobRecord record = Get("early");
  EXPECT_EQ(record.shape, "s");
  record.shape = "changed";  // A job's shape does not change.
  record.job.set_state(v1::JOB_STATE_CANCELLED);
  Update(record);
  EXPECT_EQ(Get("early").shape, "s");
  EXPECT_THAT(Queued(1'000, 1), ElementsAre("low", "a", "other-shape", "bob", "high"));
}

TEST_P(QueueConformance, AJobIsNotListedBeforeItsEarliestStart) {
  constexpr int64_t kSecond = 1'000'000'000;
  Queue("delayed", {.queued_at = 1, .earliest_start = 2 * kSecond + 1});
  Queue("ready", {.queued_at = 2});
  EXPECT_THAT(Queued(2 * kSecond, 1), ElementsAre("ready"));
  EXPECT_THAT(Queued(2 * kSecond + 1, 1), ElementsAre("delayed"));
  EXPECT_EQ(NextEarliestStart(0), 2 * kSecond + 1);
  EXPECT_EQ(NextEarliestStart(2 * kSecond), 2 * kSecond + 1);
  EXPECT_EQ(NextEarliestStart(2 * kSecond + 1), 0);
  JobRecord record = Get("ready");
  SetEarliestStart(record, kSecond);
  Update(record);
  EXPECT_EQ(NextEarliestStart(0), kSecond);
  record.job.set_state(v1::JOB_STATE_RUNNING);
  Update(record);
  EXPECT_EQ(NextEarliestStart(0), 2 * kSecond + 1);
}

TEST_P(QueueConformance, PlacesAreThoseOfEveryQueuedJob) {
  Queue("a", {.priority = 7, .queued_at = 5});
  Queue("b", {.queued_at = 6, .earliest_start = 9});
  Queue("c", {.state = v1::JOB_STATE_ASSIGNED});
  std::vector<std::string> seen;
  for (const QueuePlace& place : Read([](const View& v) { return v.jobs().ListQueuePlaces(); })) {
    seen.push_back(place.id + " " + std::to_string(place.priority) + " " + std::to_string(place.queued_at));
  }
  EXPECT_THAT(seen, UnorderedElementsAre("a 7 5", "b 50 6"));
}

TEST_P(QueueConformance, ExpiredJobsAreThoseThatAreQueuedStill) {
  Queue("never", {});
  Queue("later", {.expires_at = 31});
  Queue("second", {.expires_at = 30});
  Queue("first", {.expires_at = 20});
  Queue("runs", {.expires_at = 10, .state = v1::JOB_STATE_RUNNING});
  EXPECT_THAT(Expired(19), IsEmpty());
  EXPECT_THAT(Expired(30), ElementsAre("first", "second"));
  EXPECT_THAT(Expired(30, 1), ElementsAre("first"));
  JobRecord record = Get("runs");
  EXPECT_EQ(record.expires_at, 10);
  record.expires_at = 25;
  record.job.set_state(v1::JOB_STATE_QUEUED);
  Update(record);
  EXPECT_THAT(Expired(30), ElementsAre("first", "runs", "second"));
}

TEST_P(JobStoreConformance, ActiveJobsAreAssignedOrRunning) {
  for (int state = v1::JobState_MIN + 1; state <= v1::JobState_MAX; ++state) {
    Insert(MakeJob("j" + std::to_string(state), static_cast<v1::JobState>(state)));
  }
  EXPECT_THAT(Ids(Read([](const View& v) { return v.jobs().ListActive(""); })), UnorderedElementsAre("j2", "j3"));
}

TEST_P(JobStoreConformance, AttemptsAreReplacedAndListedByNumber) {
  Insert(MakeJob("j1"));
  Insert(MakeJob("j2"));
  const auto put = [&](const AttemptId& id, v1::AttemptState state) {
    v1::Attempt attempt;
    attempt.set_name(AttemptName(id));
    attempt.set_state(state);
    Write([&](Transaction& t) { return t.jobs().PutAttempt(id, attempt); });
  };
  put({"j1", 10}, v1::ATTEMPT_STATE_ASSIGNED);
  put({"j1", 2}, v1::ATTEMPT_STATE_ASSIGNED);
  put({"j2", 3}, v1::ATTEMPT_STATE_ASSIGNED);
  put({"j1", 10}, v1::ATTEMPT_STATE_RUNNING);
  const auto attempts = Read([](const View& v) { return v.jobs().ListAttempts("j1"); });
  ASSERT_EQ(attempts.size(), 2);
  EXPECT_EQ(attempts[0].name(), "jobs/j1/attempts/2");
  EXPECT_EQ(attempts[1].name(), "jobs/j1/attempts/10");
  EXPECT_EQ(attempts[1].state(), v1::ATTEMPT_STATE_RUNNING);
  const auto got = Read([](const View& v) { return v.jobs().GetAttempt({"j1", 10}); });
  EXPECT_THAT(got, EqualsProto(attempts[1]));
  EXPECT_THAT(Read([](const View& v) { return v.jobs().ListAttempts("nosuch"); }), IsEmpty());
  const absl::Status missing = store_->Read([](const View& v) { return v.jobs().GetAttempt({"j1", 3}).status(); });
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
}

TEST_P(JobStoreConformance, LostLeasesAreKeptByAttempt) {
  Insert(MakeJob("j1"));
  const auto get = [&](const AttemptId& id) { return Read([&](const View& v) { return v.jobs().GetLostLease(id); }); };
  EXPECT_EQ(get({"j1", 1}), "");
  Write([](Transaction& t) { return t.jobs().PutLostLease({"j1", 1}, "old"); });
  Write([](Transaction& t) { return t.jobs().PutLostLease({"j1", 2}, "second"); });
  Write([](Transaction& t) { return t.jobs().PutLostLease({"j1", 1}, "first"); });
  EXPECT_EQ(get({"j1", 1}), "first");
  EXPECT_EQ(get({"j1", 2}), "second");
  const absl::Status missing = FailedWrite([](Transaction& t) { return t.jobs().PutLostLease({"nosuch", 1}, "t"); });
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
}

TEST_P(JobStoreConformance, AnEmptyMessageIsStored) {
  Insert(MakeJob("j1"));
  Write([](Transaction& t) { return t.jobs().PutAttempt({"j1", 1}, v1::Attempt()); });
  EXPECT_THAT(Read([](const View& v) { return v.jobs().GetAttempt({"j1", 1}); }), EqualsProto(v1::Attempt()));
}

TEST_P(JobStoreConformance, AttemptsAndMeasurementsNeedTheirJob) {
  const absl::Status attempt = FailedWrite([](Transaction& t) {
    return t.jobs().PutAttempt({"nosuch", 1}, v1::Attempt());
  });
  EXPECT_EQ(attempt.code(), absl::StatusCode::kNotFound) << attempt;
  v1::Measurement row;
  row.set_metric("bandwidth");
  const absl::Status measurement = FailedWrite([&](Transaction& t) {
    return t.jobs().AddMeasurements({"nosuch", 1}, 1, {row});
  });
  EXPECT_EQ(measurement.code(), absl::StatusCode::kNotFound) << measurement;
}

class MeasurementConformance : public JobStoreConformance {
 protected:
  static v1::Measurement Row(const std::string& metric, const std::string& case_id, double value) {
    v1::Measurement row;
    row.set_metric(metric);
    row.set_case_(case_id);
    row.set_value(value);
    row.add_samples(value);
    (*row.mutable_labels())["备注"] = "it's \"NUMA\"";
    return row;
  }
  void Add(const AttemptId& attempt, int64_t sequence, const std::vector<v1::Measurement>& rows) {
    Write([&](Transaction& t) { return t.jobs().AddMeasurements(attempt, sequence, rows); });
  }
  std::vector<MeasurementRow> Rows(const AttemptId& attempt, const std::string& metric = "",
                                   const std::string& case_id = "", const MeasurementKey& after = {},
                                   int64_t limit = 100) {
    return Read([&](const View& v) { return v.jobs().ListMeasurements({attempt, metric, case_id, after, limit}); });
  }
  template <typename... Arguments>
  std::vector<double> Values(const AttemptId& attempt, const Arguments&... arguments) {
    std::vector<double> out;
    for (const MeasurementRow& row : Rows(attempt, arguments...)) out.push_back(row.measurement.value());
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, MeasurementConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(MeasurementConformance, RowsComeInTheOrderReportedAndPageByKey) {
  Insert(MakeJob("j1"));
  const AttemptId attempt{"j1", 1};
  Add(attempt, 10, {Row("bandwidth", "read", 3)});
  Add(attempt, 2, {Row("bandwidth", "read", 1), Row("latency", "read", 2)});
  Add(attempt, 3, {});
  Add({"j1", 2}, 1, {Row("bandwidth", "read", 9)});
  const std::vector<MeasurementRow> rows = Rows(attempt);
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].key, (MeasurementKey{2, 1}));
  EXPECT_EQ(rows[1].key, (MeasurementKey{2, 2}));
  EXPECT_EQ(rows[2].key, (MeasurementKey{10, 1}));
  EXPECT_THAT(rows[1].measurement, EqualsProto(Row("latency", "read", 2)));
  EXPECT_THAT(Values(attempt, "", "", MeasurementKey(), 2), ElementsAre(1, 2));
  EXPECT_THAT(Values(attempt, "", "", MeasurementKey{2, 1}), ElementsAre(2, 3));
  EXPECT_THAT(Values(attempt, "", "", MeasurementKey{2, 2}), ElementsAre(3));
  EXPECT_THAT(Values(attempt, "", "", MeasurementKey{10, 1}), IsEmpty());
  EXPECT_THAT(Values({"j1", 3}), IsEmpty());
}

TEST_P(MeasurementConformance, FiltersByMetricAndCase) {
  Insert(MakeJob("j1"));
  const AttemptId attempt{"j1", 1};
  Add(attempt, 1, {Row("bandwidth", "read", 1), Row("bandwidth", "写", 2), Row("latency", "read", 3)});
  EXPECT_THAT(Values(attempt, "bandwidth"), ElementsAre(1, 2));
  EXPECT_THAT(Values(attempt, "", "read"), ElementsAre(1, 3));
  EXPECT_THAT(Values(attempt, "bandwidth", "写"), ElementsAre(2));
  EXPECT_THAT(Values(attempt, "bandwidth", "", MeasurementKey{1, 1}, 1), ElementsAre(2));
  EXPECT_THAT(Values(attempt, "BANDWIDTH"), IsEmpty());
}

TEST_P(MeasurementConformance, ARepeatedBatchChangesNothing) {
  Insert(MakeJob("j1"));
  const AttemptId attempt{"j1", 1};
  Add(attempt, 1, {Row("bandwidth", "read", 1), Row("bandwidth", "read", 2)});
  Add(attempt, 1, {Row("bandwidth", "read", 1), Row("bandwidth", "read", 2)});
  Add(attempt, 1, {Row("bandwidth", "read", 7), Row("bandwidth", "read", 8), Row("bandwidth", "read", 9)});
  EXPECT_THAT(Values(attempt), ElementsAre(1, 2));
}

}  // namespace
}  // namespace benchwire::storage
