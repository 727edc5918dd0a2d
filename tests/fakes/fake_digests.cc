#include <benchwire/v1/digest_service.grpc.pb.h>

#include "tests/fakes/fake_call.h"

namespace benchwire {
namespace {

// Etags are numbers that grow with each change.
std::string NextEtag(const std::string& etag) { return std::to_string(etag.empty() ? 1 : std::stoi(etag) + 1); }

std::vector<v1::Entry> EntriesOf(const FakeState& state, const std::string& digest) {
  std::vector<v1::Entry> out;
  for (const auto& [name, entry] : state.entries) {
    if (name.rfind(digest + "/", 0) == 0) out.push_back(entry);
  }
  return out;
}

struct Digests final : v1::DigestService::Service {
  explicit Digests(FakeServer& of) : owner(of) {}

  grpc::Status CreateDigest(grpc::ServerContext* context, const v1::CreateDigestRequest* request,
                            v1::Digest* response) override {
    return FakeCall::Unary(owner, context, "CreateDigest", [&](FakeState& state) {
      const std::string name = "digests/" + request->digest_id();
      if (state.digests.contains(name)) {
        return MakeError(absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", name + " exists");
      }
      *response = request->digest();
      response->set_name(name);
      state.digests[name] = *response;
      return absl::OkStatus();
    });
  }

  grpc::Status GetDigest(grpc::ServerContext* context, const v1::GetDigestRequest* request,
                         v1::Digest* response) override {
    return FakeCall::Unary(owner, context, "GetDigest", [&](FakeState& state) {
      const auto digest = state.digests.find(request->name());
      const bool draft = request->view() == v1::DIGEST_VIEW_DRAFT;
      if (digest == state.digests.end() || (!draft && state.editions[request->name()].empty())) {
        return NotFound(request->name());
      }
      *response = digest->second;
      if (draft) {
        for (const v1::Entry& entry : EntriesOf(state, request->name())) *response->add_entries() = entry;
      } else {
        *response->mutable_edition() = state.editions[request->name()].back();
      }
      return absl::OkStatus();
    });
  }

  grpc::Status ListDigests(grpc::ServerContext* context, const v1::ListDigestsRequest* request,
                           v1::ListDigestsResponse* response) override {
    return FakeCall::Unary(owner, context, "ListDigests", [&](FakeState& state) {
      std::vector<v1::Digest> digests = Values(state.digests);
      std::reverse(digests.begin(), digests.end());
      Page(digests, 2, request->page_token(), *response,
           [&](const v1::Digest& digest) { *response->add_digests() = digest; });
      return absl::OkStatus();
    });
  }

  grpc::Status PublishDigest(grpc::ServerContext* context, const v1::PublishDigestRequest* request,
                             v1::Edition* response) override {
    return FakeCall::Unary(owner, context, "PublishDigest", [&](FakeState& state) {
      const auto digest = state.digests.find(request->name());
      if (digest == state.digests.end()) return NotFound(request->name());
      for (const v1::Entry& entry : EntriesOf(state, request->name())) {
        if (entry.state() == v1::ENTRY_STATE_READY) *response->add_entries() = entry;
      }
      if (response->entries().empty()) return Precondition("NOTHING_READY", "no entry is READY");
      auto& editions = state.editions[request->name()];
      response->set_name(request->name() + "/editions/" + std::to_string(editions.size() + 1));
      *response->mutable_title() = digest->second.title();
      *response->mutable_publish_time() = FakeNow();
      response->set_note(request->note());
      editions.push_back(*response);
      digest->second.set_latest_edition(static_cast<int32_t>(editions.size()));
      *digest->second.mutable_publish_time() = response->publish_time();
      return absl::OkStatus();
    });
  }

  grpc::Status GetEdition(grpc::ServerContext* context, const v1::GetEditionRequest* request,
                          v1::Edition* response) override {
    return FakeCall::Unary(owner, context, "GetEdition", [&](FakeState& state) {
      for (const auto& [digest, editions] : state.editions) {
        for (const v1::Edition& edition : editions) {
          if (edition.name() != request->name()) continue;
          *response = edition;
          return absl::OkStatus();
        }
      }
      return NotFound(request->name());
    });
  }

  grpc::Status ListEditions(grpc::ServerContext* context, const v1::ListEditionsRequest* request,
                            v1::ListEditionsResponse* response) override {
    return FakeCall::Unary(owner, context, "ListEditions", [&](FakeState& state) {
      std::vector<v1::Edition> editions = state.editions[request->parent()];
      std::reverse(editions.begin(), editions.end());
      Page(editions, 2, request->page_token(), *response, [&](const v1::Edition& edition) {
        *response->add_editions() = edition;
        response->mutable_editions()->rbegin()->clear_entries();
      });
      return absl::OkStatus();
    });
  }

  grpc::Status CreateEntry(grpc::ServerContext* context, const v1::CreateEntryRequest* request,
                           v1::Entry* response) override {
    return FakeCall::Unary(owner, context, "CreateEntry", [&](FakeState& state) {
      if (!state.digests.contains(request->parent())) return NotFound(request->parent());
      *response = request->entry();
      response->set_name(request->parent() + "/entries/" + request->entry_id());
      response->set_etag("1");
      if (response->state() == v1::ENTRY_STATE_UNSPECIFIED) response->set_state(v1::ENTRY_STATE_DRAFT);
      *response->mutable_update_time() = FakeNow();
      state.entries[response->name()] = *response;
      return absl::OkStatus();
    });
  }

  grpc::Status GetEntry(grpc::ServerContext* context, const v1::GetEntryRequest* request,
                        v1::Entry* response) override {
    return FakeCall::Unary(owner, context, "GetEntry", [&](FakeState& state) {
      const auto entry = state.entries.find(request->name());
      if (entry == state.entries.end()) return NotFound(request->name());
      *response = entry->second;
      return absl::OkStatus();
    });
  }

  grpc::Status ListEntries(grpc::ServerContext* context, const v1::ListEntriesRequest* request,
                           v1::ListEntriesResponse* response) override {
    return FakeCall::Unary(owner, context, "ListEntries", [&](FakeState& state) {
      Page(EntriesOf(state, request->parent()), 2, request->page_token(), *response,
           [&](const v1::Entry& entry) { *response->add_entries() = entry; });
      return absl::OkStatus();
    });
  }

  grpc::Status UpdateEntry(grpc::ServerContext* context, const v1::UpdateEntryRequest* request,
                           v1::Entry* response) override {
    return FakeCall::Unary(owner, context, "UpdateEntry", [&](FakeState& state) {
      state.updates.push_back(*request);
      const auto entry = state.entries.find(request->entry().name());
      if (entry == state.entries.end()) return NotFound(request->entry().name());
      if (!request->entry().etag().empty() && request->entry().etag() != entry->second.etag()) {
        return MakeError(absl::StatusCode::kAborted, "ETAG_MISMATCH", "the entry was changed meanwhile");
      }
      const std::string etag = NextEtag(entry->second.etag());
      if (request->update_mask().paths_size() == 1 && request->update_mask().paths(0) == "state") {
        entry->second.set_state(request->entry().state());
      } else {
        entry->second = request->entry();
      }
      entry->second.set_etag(etag);
      *response = entry->second;
      return absl::OkStatus();
    });
  }

  grpc::Status DeleteEntry(grpc::ServerContext* context, const v1::DeleteEntryRequest* request,
                           google::protobuf::Empty*) override {
    return FakeCall::Unary(owner, context, "DeleteEntry", [&](FakeState& state) {
      return state.entries.erase(request->name()) == 1 ? absl::OkStatus() : NotFound(request->name());
    });
  }

  FakeServer& owner;
};

}  // namespace

std::unique_ptr<grpc::Service> NewFakeDigestService(FakeServer& owner) { return std::make_unique<Digests>(owner); }

}  // namespace benchwire
