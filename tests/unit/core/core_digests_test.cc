// Writing digests and freezing them into editions.
#include "tests/unit/core/core_fixture.h"

namespace benchwire::core {
namespace {

class DigestsTest : public CoreTest {
 protected:
  static constexpr char kDigest[] = "digests/2026-01-14";

  absl::StatusOr<v1::Digest> CreateDigest(const std::string& request_id = "") {
    v1::CreateDigestRequest request;
    request.set_digest_id("2026-01-14");
    request.set_request_id(request_id);
    return core_->digests().Create(request);
  }
  absl::StatusOr<v1::Entry> CreateEntry(const std::string& id, v1::EntryState state, int32_t position = 0) {
    v1::CreateEntryRequest request;
    request.set_parent(kDigest);
    request.set_entry_id(id);
    request.mutable_entry()->mutable_title()->set_en("Title of " + id);
    request.mutable_entry()->set_state(state);
    request.mutable_entry()->set_position(position);
    return core_->digests().CreateEntry(request);
  }
  absl::StatusOr<v1::Entry> Update(v1::Entry entry, const std::string& path) {
    v1::UpdateEntryRequest request;
    *request.mutable_entry() = std::move(entry);
    request.mutable_update_mask()->add_paths(path);
    return core_->digests().UpdateEntry(request);
  }
  absl::StatusOr<v1::Edition> Publish(const std::string& request_id = "", const std::string& etag = "") {
    v1::PublishDigestRequest request;
    request.set_name(kDigest);
    request.set_note("first");
    request.set_request_id(request_id);
    request.set_etag(etag);
    return core_->digests().Publish(request);
  }
  absl::StatusOr<v1::Digest> Get(v1::DigestView view, bool editor = true) {
    v1::GetDigestRequest request;
    request.set_name(kDigest);
    request.set_view(view);
    return core_->digests().Get(request, editor);
  }
  absl::StatusOr<v1::Edition> GetEdition(int number) {
    v1::GetEditionRequest request;
    request.set_name(std::string(kDigest) + "/editions/" + std::to_string(number));
    return core_->digests().GetEdition(request);
  }
};

TEST_F(DigestsTest, ADigestIsOpenedOnce) {
  EXPECT_EQ(CreateDigest("request-1")->title().en(), "2026-01-14");
  EXPECT_TRUE(CreateDigest("request-1").ok());
  EXPECT_EQ(ErrorReason(CreateDigest("request-2").status()), "ALREADY_EXISTS");
  v1::CreateDigestRequest request;
  request.set_digest_id("2026-02-30");
  EXPECT_EQ(ErrorMetadata(core_->digests().Create(request).status(), "field"), "digest_id");
}

TEST_F(DigestsTest, PublishingNeedsAReadyEntryAndTheRightEtag) {
  ASSERT_TRUE(CreateDigest().ok());
  ASSERT_TRUE(CreateEntry("a", v1::ENTRY_STATE_DRAFT).ok());
  EXPECT_EQ(ErrorReason(Publish().status()), "NOTHING_READY");
  EXPECT_EQ(Get(v1::DIGEST_VIEW_PUBLISHED).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Get(v1::DIGEST_VIEW_DRAFT, false).status().code(), absl::StatusCode::kNotFound);
  const std::string etag = Get(v1::DIGEST_VIEW_DRAFT)->etag();
  ASSERT_TRUE(CreateEntry("b", v1::ENTRY_STATE_READY).ok());
  const absl::Status mismatch = Publish("", etag).status();  // The etag covers the entries.
  EXPECT_EQ(mismatch.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(mismatch), "ETAG_MISMATCH");
  const auto edition = Publish("", Get(v1::DIGEST_VIEW_DRAFT)->etag());
  ASSERT_TRUE(edition.ok());
  ASSERT_EQ(edition->entries_size(), 1);
  EXPECT_EQ(edition->entries(0).title().en(), "Title of b");
}

TEST_F(DigestsTest, AnEditionStaysAsItWasPublished) {
  ASSERT_TRUE(CreateDigest().ok());
  v1::Entry entry = *CreateEntry("a", v1::ENTRY_STATE_READY);
  const int64_t generation = core_->digests().publication_generation();
  const v1::Edition first = *Publish("request-1");
  EXPECT_EQ(first.name(), std::string(kDigest) + "/editions/1");
  EXPECT_GT(core_->digests().publication_generation(), generation);
  EXPECT_EQ(Publish("request-1")->SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(ErrorReason(Publish("request-1", "r1").status()), "REQUEST_ID_REUSED");

  entry.mutable_title()->set_en("Corrected");
  ASSERT_TRUE(Update(entry, "title").ok());
  EXPECT_EQ(ErrorReason(Update(entry, "title").status()), "ETAG_MISMATCH");  // Its etag is of before.
  EXPECT_EQ(Get(v1::DIGEST_VIEW_PUBLISHED)->edition().entries(0).title().en(), "Title of a");
  const v1::Edition second = *Publish();
  EXPECT_EQ(second.name(), std::string(kDigest) + "/editions/2");
  EXPECT_EQ(Get(v1::DIGEST_VIEW_PUBLISHED, false)->edition().entries(0).title().en(), "Corrected");
  EXPECT_EQ(GetEdition(1)->SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(GetEdition(3).status().code(), absl::StatusCode::kNotFound);

  v1::DeleteEntryRequest remove;
  remove.set_name(entry.name());
  ASSERT_TRUE(core_->digests().DeleteEntry(remove).ok());
  EXPECT_EQ(GetEdition(2)->entries_size(), 1);
  v1::ListEditionsRequest list;
  list.set_parent(kDigest);
  list.set_page_size(1);
  const auto page = core_->digests().ListEditions(list);
  EXPECT_EQ(page->editions(0).name(), second.name());
  list.set_page_token(page->next_page_token());
  EXPECT_EQ(core_->digests().ListEditions(list)->editions(0).name(), first.name());
}

TEST_F(DigestsTest, AnEntryRemovedBetweenTwoPagesTakesNoOtherWithIt) {
  ASSERT_TRUE(CreateDigest().ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(CreateEntry("e" + std::to_string(9 - i), v1::ENTRY_STATE_DRAFT, i - 2).ok());
  v1::ListEntriesRequest list;
  list.set_parent(kDigest);
  list.set_page_size(2);
  const auto first = core_->digests().ListEntries(list);
  ASSERT_EQ(first->entries_size(), 2);
  EXPECT_EQ(first->entries(1).name(), std::string(kDigest) + "/entries/e8");
  v1::DeleteEntryRequest remove;
  remove.set_name(first->entries(1).name());
  ASSERT_TRUE(core_->digests().DeleteEntry(remove).ok());
  list.set_page_size(10);
  list.set_page_token(first->next_page_token());
  const auto rest = core_->digests().ListEntries(list);
  ASSERT_EQ(rest->entries_size(), 3);
  EXPECT_EQ(rest->entries(0).name(), std::string(kDigest) + "/entries/e7");
}

TEST_F(DigestsTest, AClaimIsTestedByItsJobAndFrozenByPublishing) {
  const std::string session = Session("w1");
  const v1::Job job = CreateJob();
  const v1::Lease lease = Run(session);
  ASSERT_TRUE(Report(session, lease, 1, "", {Row("bandwidth", {10, 11, 12, 13, 14, 15, 16, 17})}).ok());
  ASSERT_TRUE(CreateDigest().ok());
  v1::CreateEntryRequest request;
  request.set_parent(kDigest);
  request.set_entry_id("a");
  request.mutable_entry()->mutable_title()->set_zh("带宽");
  request.mutable_entry()->set_state(v1::ENTRY_STATE_READY);
  v1::Claim& claim = *request.mutable_entry()->add_claims();
  claim.set_id("fast");
  claim.mutable_text()->set_en("It is fast.");
  claim.mutable_selector()->set_job(job.name());
  claim.mutable_selector()->set_metric("bandwidth");
  claim.mutable_condition()->set_comparison(v1::COMPARISON_GREATER);
  claim.mutable_condition()->set_threshold(9);
  claim.mutable_condition()->set_unit("B/s");
  claim.mutable_evaluation()->set_verdict(v1::VERDICT_REFUTED);  // Typed in: not taken.
  const auto entry = core_->digests().CreateEntry(request);
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(entry->claims(0).evaluation().reason_code(), "JOB_NOT_SUCCEEDED");
  ASSERT_TRUE(Complete(lease, v1::ATTEMPT_OUTCOME_SUCCEEDED, 1).ok());
  const v1::ClaimEvaluation frozen = Publish()->entries(0).claims(0).evaluation();
  EXPECT_EQ(frozen.verdict(), v1::VERDICT_SUPPORTED);
  EXPECT_EQ(frozen.sample_count(), 8);
  EXPECT_EQ(frozen.spec_digest(), job.spec_digest());
  EXPECT_EQ(frozen.rerun_command(), "benchwire rerun --here " + job.name());
}

TEST_F(DigestsTest, ADeletedEntryDoesNotComeBackWithItsRequest) {
  ASSERT_TRUE(CreateDigest().ok());
  v1::CreateEntryRequest request;
  request.set_parent(kDigest);
  request.set_entry_id("b");
  request.mutable_entry()->mutable_title()->set_en("B");
  request.set_request_id("entry-b-1");
  ASSERT_TRUE(core_->digests().CreateEntry(request).ok());
  ASSERT_TRUE(core_->digests().CreateEntry(request).ok());
  v1::DeleteEntryRequest remove;
  remove.set_name(std::string(kDigest) + "/entries/b");
  ASSERT_TRUE(core_->digests().DeleteEntry(remove).ok());
  EXPECT_EQ(ErrorReason(core_->digests().CreateEntry(request).status()), "NOT_FOUND");
}

TEST_F(DigestsTest, BadEntriesNameTheirField) {
  ASSERT_TRUE(CreateDigest().ok());
  EXPECT_EQ(ErrorMetadata(CreateEntry("Not-A-Slug", v1::ENTRY_STATE_DRAFT).status(), "field"), "entry_id");
  ASSERT_TRUE(CreateEntry("a", v1::ENTRY_STATE_DRAFT).ok());
  EXPECT_EQ(ErrorReason(CreateEntry("a", v1::ENTRY_STATE_DRAFT).status()), "ALREADY_EXISTS");
  v1::Entry entry;
  entry.set_name(std::string(kDigest) + "/entries/none");
  EXPECT_EQ(Update(entry, "title").status().code(), absl::StatusCode::kNotFound);
  entry.set_name("digests/2026-13-01/entries/a");
  EXPECT_EQ(ErrorMetadata(Update(entry, "title").status(), "field"), "entry.name");
}

}  // namespace
}  // namespace benchwire::core
