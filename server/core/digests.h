// Digests, entries and editions: writing them, reading them, publishing them.
#ifndef BENCHWIRE_SERVER_CORE_DIGESTS_H_
#define BENCHWIRE_SERVER_CORE_DIGESTS_H_

#include <benchwire/v1/digest_service.pb.h>

#include <atomic>
#include <string>

#include "absl/status/statusor.h"
#include "server/core/environment.h"

namespace benchwire::core {

class Digests {
 public:
  explicit Digests(CoreEnvironment environment) : environment_(environment) {}

  absl::StatusOr<v1::Digest> Create(const v1::CreateDigestRequest& request);
  // `may_see_drafts`: the caller is an editor.
  absl::StatusOr<v1::Digest> Get(const v1::GetDigestRequest& request, bool may_see_drafts) const;
  absl::StatusOr<v1::ListDigestsResponse> List(const v1::ListDigestsRequest& request, bool may_see_drafts) const;
  absl::StatusOr<v1::Edition> Publish(const v1::PublishDigestRequest& request);
  absl::StatusOr<v1::Edition> GetEdition(const v1::GetEditionRequest& request) const;
  absl::StatusOr<v1::ListEditionsResponse> ListEditions(const v1::ListEditionsRequest& request) const;

  absl::StatusOr<v1::Entry> CreateEntry(const v1::CreateEntryRequest& request);
  absl::StatusOr<v1::Entry> GetEntry(const v1::GetEntryRequest& request) const;
  absl::StatusOr<v1::ListEntriesResponse> ListEntries(const v1::ListEntriesRequest& request) const;
  absl::StatusOr<v1::Entry> UpdateEntry(const v1::UpdateEntryRequest& request);
  absl::Status DeleteEntry(const v1::DeleteEntryRequest& request);

  // Changes whenever anything published changes, before the publishing call returns: answers kept from before must not
  // be used after. Any thread.
  int64_t publication_generation() const { return publication_generation_.load(); }

 private:
  CoreEnvironment environment_;
  std::atomic<int64_t> publication_generation_{1};
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_DIGESTS_H_
