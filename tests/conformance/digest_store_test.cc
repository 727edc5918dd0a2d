#include "storage/digest_store.h"

#include <string>
#include <vector>

#include "tests/conformance/store_conformance.h"

namespace benchwire::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DigestStoreConformance : public StoreConformance {
 protected:
  static DigestRecord MakeDigest(const std::string& day, int edition = 0) {
    DigestRecord record;
    record.day = day;
    record.digest.set_name(DigestName(day));
    record.digest.mutable_title()->set_zh("今日“评测” 'quote' \"double\"");
    record.digest.set_latest_edition(edition);
    return record;
  }
  static EntryRecord MakeEntry(const std::string& id, int position = 0) {
    EntryRecord record;
    record.day = "2026-01-14";
    record.id = id;
    record.entry.set_name(EntryName({record.day, id}));
    record.entry.mutable_body()->set_zh("带宽 **900 GB/s**；it's “quoted” 😀\n'; DROP TABLE entries; --");
    record.entry.set_position(position);
    return record;
  }
  void Insert(const DigestRecord& record) {
    Write([&](Transaction& t) { return t.digests().Insert(record); });
  }
  void InsertEntry(const EntryRecord& record) {
    Write([&](Transaction& t) { return t.digests().InsertEntry(record); });
  }
  DigestRecord Get(const std::string& day) {
    return Read([&](const View& v) { return v.digests().Get(day); });
  }
  EntryRecord GetEntry(const std::string& id) {
    return Read([&](const View& v) { return v.digests().GetEntry({"2026-01-14", id}); });
  }
  std::vector<std::string> Entries(const std::string& day) {
    return Ids(Read([&](const View& v) { return v.digests().ListEntries(day); }));
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, DigestStoreConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(DigestStoreConformance, InsertAndGet) {
  DigestRecord record = MakeDigest("2026-01-14");
  record.revision = 5;
  Insert(record);
  const DigestRecord stored = Get("2026-01-14");
  EXPECT_EQ(stored.day, "2026-01-14");
  EXPECT_THAT(stored.digest, EqualsProto(record.digest));
  EXPECT_EQ(stored.revision, 1);
  const absl::Status again = FailedWrite([&](Transaction& t) { return t.digests().Insert(record); });
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  const absl::Status missing = store_->Read([](const View& v) { return v.digests().Get("2026-01-15").status(); });
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
}

TEST_P(DigestStoreConformance, UpdateIsConditional) {
  Insert(MakeDigest("2026-01-14"));
  DigestRecord stale = Get("2026-01-14");
  DigestRecord fresh = stale;
  fresh.digest.set_latest_edition(1);
  Write([&](Transaction& t) { return t.digests().Update(fresh); });
  EXPECT_EQ(fresh.revision, 2);
  const absl::Status status = FailedWrite([&](Transaction& t) { return t.digests().Update(stale); });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(status), "REVISION_CHANGED");
  EXPECT_EQ(stale.revision, 1);
  EXPECT_EQ(Get("2026-01-14").digest.latest_edition(), 1);
  EXPECT_EQ(Get("2026-01-14").revision, 2);
}

TEST_P(DigestStoreConformance, ListIsNewestFirstAndMayBePublishedOnly) {
  Insert(MakeDigest("2025-12-31", 3));
  Insert(MakeDigest("2026-01-14"));
  Insert(MakeDigest("2026-01-02", 1));
  Insert(MakeDigest("9999-12-31"));
  const auto list = [&](const std::string& before, bool published_only, int64_t limit) {
    std::vector<std::string> out;
    for (const DigestRecord& record :
         Read([&](const View& v) { return v.digests().List(before, published_only, limit); })) {
      out.push_back(record.day);
    }
    return out;
  };
  EXPECT_THAT(list("", false, 10), ElementsAre("9999-12-31", "2026-01-14", "2026-01-02", "2025-12-31"));
  EXPECT_THAT(list("", false, 2), ElementsAre("9999-12-31", "2026-01-14"));
  EXPECT_THAT(list("2026-01-14", false, 1), ElementsAre("2026-01-02"));
  EXPECT_THAT(list("", true, 10), ElementsAre("2026-01-02", "2025-12-31"));
  EXPECT_THAT(list("", true, 1), ElementsAre("2026-01-02"));
  EXPECT_THAT(list("2026-01-02", true, 10), ElementsAre("2025-12-31"));
  EXPECT_THAT(list("2025-12-31", false, 10), IsEmpty());
}

TEST_P(DigestStoreConformance, PublishingLaterIsSeenByTheList) {
  Insert(MakeDigest("2026-01-14"));
  DigestRecord record = Get("2026-01-14");
  record.digest.set_latest_edition(1);
  Write([&](Transaction& t) { return t.digests().Update(record); });
  EXPECT_EQ(Read([](const View& v) { return v.digests().List("", true, 10); }).size(), 1);
}

TEST_P(DigestStoreConformance, EntryInsertAndGet) {
  Insert(MakeDigest("2026-01-14"));
  EntryRecord record = MakeEntry("gpu-1");
  record.revision = 4;
  InsertEntry(record);
  const EntryRecord stored = GetEntry("gpu-1");
  EXPECT_EQ(stored.day, "2026-01-14");
  EXPECT_EQ(stored.id, "gpu-1");
  EXPECT_THAT(stored.entry, EqualsProto(record.entry));
  EXPECT_EQ(stored.revision, 1);
  const absl::Status again = FailedWrite([&](Transaction& t) { return t.digests().InsertEntry(record); });
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  const absl::Status missing = store_->Read([](const View& v) {
    return v.digests().GetEntry({"2026-01-14", "nosuch"}).status();
  });
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
}

TEST_P(DigestStoreConformance, EntriesAndEditionsNeedTheirDigest) {
  const absl::Status entry = FailedWrite([](Transaction& t) { return t.digests().InsertEntry(MakeEntry("gpu-1")); });
  EXPECT_EQ(entry.code(), absl::StatusCode::kNotFound) << entry;
  const absl::Status edition = FailedWrite([](Transaction& t) {
    return t.digests().InsertEdition({"2026-01-14", 1}, v1::Edition());
  });
  EXPECT_EQ(edition.code(), absl::StatusCode::kNotFound) << edition;
}

TEST_P(DigestStoreConformance, EntryUpdateIsConditional) {
  Insert(MakeDigest("2026-01-14"));
  InsertEntry(MakeEntry("gpu-1"));
  EntryRecord stale = GetEntry("gpu-1");
  EntryRecord fresh = stale;
  fresh.entry.mutable_title()->set_zh("新");
  Write([&](Transaction& t) { return t.digests().UpdateEntry(fresh); });
  EXPECT_EQ(fresh.revision, 2);
  const absl::Status status = FailedWrite([&](Transaction& t) { return t.digests().UpdateEntry(stale); });
  EXPECT_EQ(ErrorReason(status), "REVISION_CHANGED");
  EXPECT_THAT(GetEntry("gpu-1").entry, EqualsProto(fresh.entry));
  Write([](Transaction& t) { return t.digests().DeleteEntry({"2026-01-14", "gpu-1"}); });
  EXPECT_EQ(FailedWrite([&](Transaction& t) { return t.digests().UpdateEntry(fresh); }).code(),
            absl::StatusCode::kAborted);
}

TEST_P(DigestStoreConformance, EntriesAreByPositionThenId) {
  Insert(MakeDigest("2026-01-14"));
  Insert(MakeDigest("2026-01-15"));
  InsertEntry(MakeEntry("z", -1));
  InsertEntry(MakeEntry("b", 2));
  InsertEntry(MakeEntry("a", 2));
  InsertEntry(MakeEntry("c", 0));
  EXPECT_THAT(Entries("2026-01-14"), ElementsAre("z", "c", "a", "b"));
  EXPECT_THAT(Entries("2026-01-15"), IsEmpty());
  EntryRecord moved = GetEntry("z");
  moved.entry.set_position(9);
  Write([&](Transaction& t) { return t.digests().UpdateEntry(moved); });
  EXPECT_THAT(Entries("2026-01-14"), ElementsAre("c", "a", "b", "z"));
}

TEST_P(DigestStoreConformance, DeletedEntryIsGoneAndMayComeBack) {
  Insert(MakeDigest("2026-01-14"));
  InsertEntry(MakeEntry("a"));
  InsertEntry(MakeEntry("b"));
  const EntryId id{"2026-01-14", "a"};
  Write([&](Transaction& t) { return t.digests().DeleteEntry(id); });
  EXPECT_THAT(Entries("2026-01-14"), ElementsAre("b"));
  EXPECT_EQ(FailedWrite([&](Transaction& t) { return t.digests().DeleteEntry(id); }).code(),
            absl::StatusCode::kNotFound);
  InsertEntry(MakeEntry("a"));
  EXPECT_EQ(GetEntry("a").revision, 1);
}

TEST_P(DigestStoreConformance, EditionsNeverChangeAndListNewestFirst) {
  Insert(MakeDigest("2026-01-14"));
  Insert(MakeDigest("2026-01-15"));
  const auto insert = [&](const EditionId& id) {
    v1::Edition edition;
    edition.set_name(EditionName(id));
    edition.set_note("更正 'x'");
    Write([&](Transaction& t) { return t.digests().InsertEdition(id, edition); });
    return edition;
  };
  const v1::Edition first = insert({"2026-01-14", 1});
  insert({"2026-01-14", 2});
  insert({"2026-01-14", 10});
  insert({"2026-01-15", 1});
  EXPECT_EQ(FailedWrite([](Transaction& t) {
              return t.digests().InsertEdition({"2026-01-14", 1}, v1::Edition());
            }).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(Read([](const View& v) { return v.digests().GetEdition({"2026-01-14", 1}); }), EqualsProto(first));
  EXPECT_EQ(store_->Read([](const View& v) {
                    return v.digests().GetEdition({"2026-01-14", 3}).status();
                  })
                .code(),
            absl::StatusCode::kNotFound);
  const auto list = [&](int64_t before, int64_t limit) {
    std::vector<std::string> out;
    for (const v1::Edition& edition :
         Read([&](const View& v) { return v.digests().ListEditions("2026-01-14", before, limit); })) {
      out.push_back(edition.name().substr(edition.name().rfind('/') + 1));
    }
    return out;
  };
  EXPECT_THAT(list(0, 10), ElementsAre("10", "2", "1"));
  EXPECT_THAT(list(0, 1), ElementsAre("10"));
  EXPECT_THAT(list(10, 10), ElementsAre("2", "1"));
  EXPECT_THAT(list(1, 10), IsEmpty());
}

}  // namespace
}  // namespace benchwire::storage
