#include "storage/event_store.h"

#include <string>
#include <vector>

#include "server/base/clock.h"
#include "tests/conformance/store_conformance.h"

namespace benchwire::storage {
namespace {

class EventStoreConformance : public StoreConformance {
 protected:
  static v1::Event MakeEvent(const std::string& resource) {
    v1::Event event;
    event.mutable_time()->set_seconds(1'768'381'200);
    event.mutable_time()->set_nanos(123'456'789);
    event.set_type(v1::EVENT_TYPE_UPDATED);
    event.set_resource(resource);
    event.set_state("JOB_STATE_RUNNING");
    return event;
  }
  void Append(const v1::Event& event) {
    Write([&](Transaction& t) { return t.events().Append(event); });
  }
  std::vector<v1::Event> List(int64_t after, int64_t limit) {
    return Read([&](const View& v) { return v.events().List(after, limit); });
  }
  int64_t LastRevision() {
    return Read([](const View& v) { return v.events().LastRevision(); });
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, EventStoreConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(EventStoreConformance, AnEmptyLogIsAtZero) {
  EXPECT_EQ(LastRevision(), 0);
  EXPECT_TRUE(List(0, 10).empty());
}

TEST_P(EventStoreConformance, RevisionsCountFromOneAndFieldsAreKept) {
  v1::Event first = MakeEvent("jobs/1");
  first.set_revision(77);
  Append(first);
  Append(MakeEvent("digests/2026-01-14/entries/条目 'x'"));
  const std::vector<v1::Event> events = List(0, 10);
  ASSERT_EQ(events.size(), 2);
  first.set_revision(1);
  EXPECT_THAT(events[0], EqualsProto(first));
  EXPECT_EQ(events[1].revision(), 2);
  EXPECT_EQ(events[1].resource(), "digests/2026-01-14/entries/条目 'x'");
  EXPECT_EQ(LastRevision(), 2);
}

TEST_P(EventStoreConformance, ListPagesByRevision) {
  for (int i = 1; i <= 5; ++i) Append(MakeEvent("jobs/" + std::to_string(i)));
  EXPECT_EQ(List(0, 2).back().revision(), 2);
  EXPECT_EQ(List(2, 2).front().revision(), 3);
  EXPECT_EQ(List(2, 100).size(), 3);
  EXPECT_TRUE(List(5, 100).empty());
}

TEST_P(EventStoreConformance, AFailedWriteLeavesNoGap) {
  Append(MakeEvent("jobs/1"));
  const absl::Status status = FailedWrite([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(t.events().Append(MakeEvent("jobs/2")));
    RETURN_IF_ERROR(t.events().Append(MakeEvent("jobs/3")));
    return Precondition("NO", "changed my mind");
  });
  EXPECT_EQ(ErrorReason(status), "NO");
  EXPECT_EQ(LastRevision(), 1);
  Append(MakeEvent("jobs/4"));
  EXPECT_EQ(List(1, 10).front().revision(), 2);
  EXPECT_EQ(List(1, 10).front().resource(), "jobs/4");
}

TEST_P(EventStoreConformance, EventsComeWithTheChangeInOneTransaction) {
  Write([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(t.jobs().Insert(MakeJob("j1")));
    RETURN_IF_ERROR(t.events().Append(MakeEvent("jobs/j1")));
    RETURN_IF_ERROR(t.events().Append(MakeEvent("jobs/j1")));
    return t.requests().Insert("CreateJob", "r1", {"hash", "jobs/j1"});
  });
  EXPECT_EQ(LastRevision(), 2);
  const absl::Status repeated = FailedWrite([](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(t.jobs().Insert(MakeJob("j2")));
    RETURN_IF_ERROR(t.events().Append(MakeEvent("jobs/j2")));
    return t.requests().Insert("CreateJob", "r1", {"hash", "jobs/j2"});
  });
  EXPECT_EQ(repeated.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(LastRevision(), 2);
  EXPECT_EQ(store_->Read([](const View& v) { return v.jobs().Get("j2").status(); }).code(),
            absl::StatusCode::kNotFound);
}

class RequestStoreConformance : public StoreConformance {};

INSTANTIATE_TEST_SUITE_P(Engines, RequestStoreConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(RequestStoreConformance, ARequestIsFoundByMethodAndId) {
  Write([](Transaction& t) { return t.requests().Insert("CreateJob", "r1", {"hash", "jobs/j1"}); });
  const auto find = [&](const std::string& method, const std::string& id) {
    return Read([&](const View& v) { return v.requests().Find(method, id); });
  };
  const std::optional<RequestRecord> found = find("CreateJob", "r1");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->payload_sha256, "hash");
  EXPECT_EQ(found->resource, "jobs/j1");
  EXPECT_FALSE(find("CreateDigest", "r1").has_value());
  EXPECT_FALSE(find("CreateJob", "r2").has_value());
}

TEST_P(RequestStoreConformance, ATakenIdIsRefusedWithinItsMethod) {
  Write([](Transaction& t) { return t.requests().Insert("CreateJob", "r1", {"hash", "jobs/j1"}); });
  const absl::Status status = FailedWrite([](Transaction& t) {
    return t.requests().Insert("CreateJob", "r1", {"other", "jobs/j2"});
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  Write([](Transaction& t) { return t.requests().Insert("RetryJob", "r1", {"hash", "jobs/j3"}); });
  EXPECT_EQ(Read([](const View& v) { return v.requests().Find("CreateJob", "r1"); })->resource, "jobs/j1");
}

}  // namespace
}  // namespace benchwire::storage
