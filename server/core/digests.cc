#include "server/core/digests.h"

#include <charconv>
#include <utility>

#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "server/core/claim_verdict.h"
#include "server/core/entry_text.h"
#include "server/core/page_token.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

constexpr int64_t kMaxMeasurements = 100'000;  // Rows of one attempt a claim looks at.
constexpr size_t kMaxEntries = 1000;
constexpr size_t kMaxNote = 4096;

// Works on a view as on a transaction: both have the same tables.
template <typename Tables>
absl::StatusOr<Evidence> FindEvidence(Tables& tables, const v1::Selector& selector) {
  Evidence evidence;
  ASSIGN_OR_RETURN(const std::string id, ParseJobName("selector.job", selector.job()));
  auto record = tables.jobs().Get(id);
  if (record.status().code() == absl::StatusCode::kNotFound) return evidence;
  RETURN_IF_ERROR(record.status());
  evidence.job = record->job;
  ASSIGN_OR_RETURN(const std::vector<v1::Attempt> attempts, tables.jobs().ListAttempts(id));
  for (size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].state() != v1::ATTEMPT_STATE_SUCCEEDED) continue;
    evidence.attempt = attempts[i];
    storage::MeasurementQuery query{.attempt = {id, static_cast<int64_t>(i + 1)},
                                    .metric = selector.metric(),
                                    .case_id = selector.case_(),
                                    .after = {},
                                    .limit = kMaxMeasurements};
    ASSIGN_OR_RETURN(const auto rows, tables.jobs().ListMeasurements(query));
    for (const storage::MeasurementRow& row : rows) evidence.measurements.push_back(row.measurement);
  }
  return evidence;
}

template <typename Tables>
absl::Status EvaluateClaims(Tables& tables, v1::Entry& entry) {
  for (v1::Claim& claim : *entry.mutable_claims()) {
    ASSIGN_OR_RETURN(const Evidence evidence, FindEvidence(tables, claim.selector()));
    *claim.mutable_evaluation() = Evaluate(claim, evidence);
  }
  return absl::OkStatus();
}

template <typename Tables>
absl::StatusOr<v1::Entry> DescribeEntry(Tables& tables, const storage::EntryRecord& record) {
  v1::Entry entry = record.entry;
  entry.set_etag(EtagOf(record.revision));
  RETURN_IF_ERROR(EvaluateClaims(tables, entry));
  return entry;
}

v1::Digest DescribeDigest(const storage::DigestRecord& record) {
  v1::Digest digest = record.digest;
  digest.set_etag(EtagOf(record.revision));
  return digest;
}

// Counts the digest's revision up, so that its etag covers its entries.
absl::Status TouchDigest(storage::Transaction& tx, const std::string& day) {
  ASSIGN_OR_RETURN(storage::DigestRecord digest, tx.digests().Get(day));
  return tx.digests().Update(digest);
}

// The order of a digest's entries. A page token holds it as `position:id`: an entry that is removed between two pages
// takes none of the others with it.
std::pair<int32_t, std::string> EntryPlace(const storage::EntryRecord& record) {
  return {record.entry.position(), record.id};
}

absl::StatusOr<std::pair<int32_t, std::string>> ReadEntryPlace(const std::string& place) {
  int32_t position = 0;
  const char* const end = place.data() + place.size();
  auto [colon, error] = std::from_chars(place.data(), end, position);
  if (error == std::errc() && colon != end && *colon == ':') return std::pair(position, std::string(colon + 1, end));
  return BadField("page_token", place, "the next_page_token of a page with the same filter");
}

absl::Status AlreadyExists(const std::string& name) {
  return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", name + " exists already", {{"resource", name}});
}

}  // namespace

absl::StatusOr<v1::Digest> Digests::Create(const v1::CreateDigestRequest& request) {
  const std::string& day = request.digest_id();
  if (!IsDay(day)) return BadField("digest_id", day, "a day that exists, as YYYY-MM-DD");
  RETURN_IF_ERROR(CheckRequestId("request_id", request.request_id()));
  RETURN_IF_ERROR(CheckTitle("digest.title", request.digest().title()));
  const std::string sha256 = RequestSha256(request);
  const WallTime now = environment_.clock.Now();
  storage::DigestRecord record;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const auto earlier, FindRequest(tx.requests(), "CreateDigest", request.request_id(), sha256));
    auto found = tx.digests().Get(day);
    if (earlier && found.ok()) {
      record = *std::move(found);
      return absl::OkStatus();
    }
    if (found.ok()) return AlreadyExists(DigestName(day));
    record.day = day;
    record.revision = 1;
    record.digest.set_name(DigestName(day));
    *record.digest.mutable_title() = request.digest().title();
    if (record.digest.title().zh().empty()) record.digest.mutable_title()->set_zh(day);
    if (record.digest.title().en().empty()) record.digest.mutable_title()->set_en(day);
    *record.digest.mutable_create_time() = ToProto(now);
    RETURN_IF_ERROR(tx.digests().Insert(record));
    RETURN_IF_ERROR(RememberRequest(tx.requests(), "CreateDigest", request.request_id(), sha256, DigestName(day)));
    return AppendEvent(tx, v1::EVENT_TYPE_CREATED, DigestName(day), "", now);
  }));
  return DescribeDigest(record);
}

absl::StatusOr<v1::Digest> Digests::Get(const v1::GetDigestRequest& request, bool may_see_drafts) const {
  ASSIGN_OR_RETURN(const std::string day, ParseDigestName("name", request.name()));
  if (!v1::DigestView_IsValid(request.view())) {
    return BadField("view", std::to_string(request.view()), "PUBLISHED or DRAFT");
  }
  const bool draft = request.view() == v1::DIGEST_VIEW_DRAFT;
  if (draft && !may_see_drafts) return NotFound(request.name());
  v1::Digest out;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::DigestRecord record, view.digests().Get(day));
    out = DescribeDigest(record);
    if (draft) {
      ASSIGN_OR_RETURN(const auto entries, view.digests().ListEntries(day));
      for (const storage::EntryRecord& entry : entries) {
        ASSIGN_OR_RETURN(*out.add_entries(), DescribeEntry(view, entry));
      }
      return absl::OkStatus();
    }
    if (out.latest_edition() == 0) return NotFound("a published edition of " + request.name());
    ASSIGN_OR_RETURN(*out.mutable_edition(), view.digests().GetEdition({day, out.latest_edition()}));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<v1::ListDigestsResponse> Digests::List(const v1::ListDigestsRequest& request,
                                                      bool may_see_drafts) const {
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50));
  ASSIGN_OR_RETURN(const std::string before, ReadPageToken("ListDigests", request.page_token()));
  v1::ListDigestsResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(auto records, view.digests().List(before, !may_see_drafts, size + 1));
    const bool more = records.size() > static_cast<size_t>(size);
    if (more) records.pop_back();
    for (const storage::DigestRecord& record : records) *response.add_digests() = DescribeDigest(record);
    if (more) response.set_next_page_token(MakePageToken("ListDigests", records.back().day));
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::Edition> Digests::Publish(const v1::PublishDigestRequest& request) {
  ASSIGN_OR_RETURN(const std::string day, ParseDigestName("name", request.name()));
  RETURN_IF_ERROR(CheckText("note", request.note(), kMaxNote));
  RETURN_IF_ERROR(CheckRequestId("request_id", request.request_id()));
  const std::string sha256 = RequestSha256(request);
  v1::Edition edition;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const auto earlier, FindRequest(tx.requests(), "PublishDigest", request.request_id(), sha256));
    if (earlier) {
      ASSIGN_OR_RETURN(const EditionId id, ParseEditionName("name", *earlier));
      ASSIGN_OR_RETURN(edition, tx.digests().GetEdition(id));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(storage::DigestRecord digest, tx.digests().Get(day));
    RETURN_IF_ERROR(CheckEtag("etag", request.etag(), digest.revision));
    ASSIGN_OR_RETURN(const auto entries, tx.digests().ListEntries(day));
    edition.Clear();
    for (const storage::EntryRecord& record : entries) {
      if (record.entry.state() != v1::ENTRY_STATE_READY) continue;
      ASSIGN_OR_RETURN(*edition.add_entries(), DescribeEntry(tx, record));
    }
    if (edition.entries().empty()) {
      return Precondition("NOTHING_READY", DigestName(day) + " has no entry in state READY");
    }
    const WallTime now = environment_.clock.Now();
    const EditionId id{day, digest.digest.latest_edition() + 1};
    edition.set_name(EditionName(id));
    *edition.mutable_title() = digest.digest.title();
    *edition.mutable_publish_time() = ToProto(now);
    edition.set_note(request.note());
    RETURN_IF_ERROR(tx.digests().InsertEdition(id, edition));
    digest.digest.set_latest_edition(static_cast<int32_t>(id.number));
    *digest.digest.mutable_publish_time() = ToProto(now);
    RETURN_IF_ERROR(tx.digests().Update(digest));
    RETURN_IF_ERROR(RememberRequest(tx.requests(), "PublishDigest", request.request_id(), sha256, edition.name()));
    return AppendEvent(tx, v1::EVENT_TYPE_PUBLISHED, DigestName(day), edition.name(), now);
  }));
  ++publication_generation_;
  return edition;
}

absl::StatusOr<v1::Edition> Digests::GetEdition(const v1::GetEditionRequest& request) const {
  ASSIGN_OR_RETURN(const EditionId id, ParseEditionName("name", request.name()));
  v1::Edition edition;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(edition, view.digests().GetEdition(id));
    return absl::OkStatus();
  }));
  return edition;
}

absl::StatusOr<v1::ListEditionsResponse> Digests::ListEditions(const v1::ListEditionsRequest& request) const {
  ASSIGN_OR_RETURN(const std::string day, ParseDigestName("parent", request.parent()));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50));
  const std::string query = "ListEditions," + day;
  ASSIGN_OR_RETURN(const std::string place, ReadPageToken(query, request.page_token()));
  int64_t before = 0;
  std::from_chars(place.data(), place.data() + place.size(), before);  // The token was checked; empty stays 0.
  v1::ListEditionsResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    RETURN_IF_ERROR(view.digests().Get(day).status());
    ASSIGN_OR_RETURN(auto editions, view.digests().ListEditions(day, before, size + 1));
    const bool more = editions.size() > static_cast<size_t>(size);
    if (more) editions.pop_back();
    for (v1::Edition& edition : editions) {
      edition.clear_entries();
      *response.add_editions() = std::move(edition);
    }
    if (more) {
      ASSIGN_OR_RETURN(const EditionId last,
                       ParseEditionName("name", response.editions(response.editions_size() - 1).name()));
      response.set_next_page_token(MakePageToken(query, std::to_string(last.number)));
    }
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::Entry> Digests::CreateEntry(const v1::CreateEntryRequest& request) {
  ASSIGN_OR_RETURN(const std::string day, ParseDigestName("parent", request.parent()));
  RETURN_IF_ERROR(CheckSlug("entry_id", request.entry_id()));
  RETURN_IF_ERROR(CheckRequestId("request_id", request.request_id()));
  const EntryId id{day, request.entry_id()};
  const std::string sha256 = RequestSha256(request);
  const WallTime now = environment_.clock.Now();
  storage::EntryRecord record{.day = day, .id = request.entry_id(), .entry = request.entry(), .revision = 1};
  RETURN_IF_ERROR(ResolveEntry(record.entry));
  record.entry.set_name(EntryName(id));
  record.entry.clear_etag();
  *record.entry.mutable_create_time() = ToProto(now);
  *record.entry.mutable_update_time() = ToProto(now);
  v1::Entry out;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const auto earlier, FindRequest(tx.requests(), "CreateEntry", request.request_id(), sha256));
    auto found = tx.digests().GetEntry(id);
    if (found.ok() && !earlier) return AlreadyExists(EntryName(id));
    if (earlier && !found.ok()) return NotFound(EntryName(id));  // Created by this request, and deleted since.
    if (!found.ok()) {
      ASSIGN_OR_RETURN(const auto entries, tx.digests().ListEntries(day));
      if (entries.size() >= kMaxEntries) {
        return MakeError(absl::StatusCode::kResourceExhausted, "TOO_MANY_ENTRIES",
                         "a digest holds at most 1000 entries");
      }
      RETURN_IF_ERROR(TouchDigest(tx, day));
      RETURN_IF_ERROR(tx.digests().InsertEntry(record));
      RETURN_IF_ERROR(RememberRequest(tx.requests(), "CreateEntry", request.request_id(), sha256, EntryName(id)));
      RETURN_IF_ERROR(
          AppendEvent(tx, v1::EVENT_TYPE_CREATED, EntryName(id), v1::EntryState_Name(record.entry.state()), now));
    }
    ASSIGN_OR_RETURN(out, DescribeEntry(tx, found.ok() ? *found : record));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<v1::Entry> Digests::GetEntry(const v1::GetEntryRequest& request) const {
  ASSIGN_OR_RETURN(const EntryId id, ParseEntryName("name", request.name()));
  v1::Entry out;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::EntryRecord record, view.digests().GetEntry(id));
    ASSIGN_OR_RETURN(out, DescribeEntry(view, record));
    return absl::OkStatus();
  }));
  return out;
}

absl::StatusOr<v1::ListEntriesResponse> Digests::ListEntries(const v1::ListEntriesRequest& request) const {
  ASSIGN_OR_RETURN(const std::string day, ParseDigestName("parent", request.parent()));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50));
  const std::string query = "ListEntries," + day;
  ASSIGN_OR_RETURN(const std::string place, ReadPageToken(query, request.page_token()));
  v1::ListEntriesResponse response;
  RETURN_IF_ERROR(environment_.store.Read([&](const storage::View& view) -> absl::Status {
    RETURN_IF_ERROR(view.digests().Get(day).status());
    ASSIGN_OR_RETURN(const auto records, view.digests().ListEntries(day));  // At most kMaxEntries.
    size_t from = 0;
    if (!place.empty()) {
      ASSIGN_OR_RETURN(const auto last, ReadEntryPlace(place));
      while (from < records.size() && EntryPlace(records[from]) <= last) ++from;
    }
    for (size_t i = from; i < records.size() && response.entries_size() < size; ++i) {
      ASSIGN_OR_RETURN(*response.add_entries(), DescribeEntry(view, records[i]));
    }
    const size_t next = from + static_cast<size_t>(response.entries_size());
    if (next < records.size()) {
      const auto [position, entry] = EntryPlace(records[next - 1]);
      response.set_next_page_token(MakePageToken(query, std::to_string(position) + ":" + entry));
    }
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::Entry> Digests::UpdateEntry(const v1::UpdateEntryRequest& request) {
  ASSIGN_OR_RETURN(const EntryId id, ParseEntryName("entry.name", request.entry().name()));
  v1::Entry out;
  RETURN_IF_ERROR(environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(storage::EntryRecord record, tx.digests().GetEntry(id));
    RETURN_IF_ERROR(CheckEtag("entry.etag", request.entry().etag(), record.revision));
    RETURN_IF_ERROR(ApplyEntryUpdate(request.entry(), request.update_mask(), record.entry));
    RETURN_IF_ERROR(ResolveEntry(record.entry));
    const WallTime now = environment_.clock.Now();
    *record.entry.mutable_update_time() = ToProto(now);
    RETURN_IF_ERROR(tx.digests().UpdateEntry(record));
    RETURN_IF_ERROR(TouchDigest(tx, id.digest));
    RETURN_IF_ERROR(
        AppendEvent(tx, v1::EVENT_TYPE_UPDATED, EntryName(id), v1::EntryState_Name(record.entry.state()), now));
    ASSIGN_OR_RETURN(out, DescribeEntry(tx, record));
    return absl::OkStatus();
  }));
  return out;
}

absl::Status Digests::DeleteEntry(const v1::DeleteEntryRequest& request) {
  ASSIGN_OR_RETURN(const EntryId id, ParseEntryName("name", request.name()));
  return environment_.store.Write([&](storage::Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const storage::EntryRecord record, tx.digests().GetEntry(id));
    RETURN_IF_ERROR(CheckEtag("etag", request.etag(), record.revision));
    RETURN_IF_ERROR(tx.digests().DeleteEntry(id));
    RETURN_IF_ERROR(TouchDigest(tx, id.digest));
    return AppendEvent(tx, v1::EVENT_TYPE_DELETED, EntryName(id), "", environment_.clock.Now());
  });
}

}  // namespace benchwire::core
