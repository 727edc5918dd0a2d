#include "storage/worker_store.h"

#include "tests/conformance/store_conformance.h"

namespace benchwire::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkerStoreConformance : public StoreConformance {
 protected:
  void Put(WorkerRecord& record) {
    Write([&](Transaction& t) { return t.workers().Put(record); });
  }
  static WorkerRecord MakeWorker(const std::string& id) {
    WorkerRecord record;
    record.id = id;
    record.worker.set_name("workers/" + id);
    record.worker.mutable_inventory()->set_hostname("机器 '1'");
    record.session = "session-1";
    return record;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, WorkerStoreConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(WorkerStoreConformance, PutInsertsThenReplacesAndCounts) {
  WorkerRecord record = MakeWorker("w1");
  Put(record);
  EXPECT_EQ(record.revision, 1);
  record.session = "session-2";
  record.draining = true;
  record.worker.set_state(v1::WORKER_STATE_DRAINING);
  Put(record);
  EXPECT_EQ(record.revision, 2);
  const WorkerRecord stored = Read([](const View& v) { return v.workers().Get("w1"); });
  EXPECT_EQ(stored.id, "w1");
  EXPECT_EQ(stored.session, "session-2");
  EXPECT_TRUE(stored.draining);
  EXPECT_EQ(stored.revision, 2);
  EXPECT_THAT(stored.worker, EqualsProto(record.worker));
  EXPECT_EQ(Read([](const View& v) { return v.workers().List("", 10); }).size(), 1);
}

TEST_P(WorkerStoreConformance, DrainingCanBeTakenBack) {
  WorkerRecord record = MakeWorker("w1");
  record.draining = true;
  Put(record);
  record.draining = false;
  Put(record);
  EXPECT_FALSE(Read([](const View& v) { return v.workers().Get("w1"); }).draining);
}

TEST_P(WorkerStoreConformance, GetOfAMissingWorkerIsNotFound) {
  const absl::Status status = store_->Read([](const View& v) { return v.workers().Get("nosuch").status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST_P(WorkerStoreConformance, ListIsByIdAboveABound) {
  for (const char* id : {"b", "a-1", "c", "a"}) {
    WorkerRecord record = MakeWorker(id);
    Put(record);
  }
  const auto list = [&](const std::string& after, int64_t limit) {
    return Ids(Read([&](const View& v) { return v.workers().List(after, limit); }));
  };
  EXPECT_THAT(list("", 10), ElementsAre("a", "a-1", "b", "c"));
  EXPECT_THAT(list("", 2), ElementsAre("a", "a-1"));
  EXPECT_THAT(list("a-1", 1), ElementsAre("b"));
  EXPECT_THAT(list("c", 10), IsEmpty());
}

}  // namespace
}  // namespace benchwire::storage
