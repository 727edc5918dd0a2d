#include "clients/cpp/digest_client.h"

#include <benchwire/v1/digest_service.grpc.pb.h>

#include "clients/cpp/call.h"

namespace benchwire::client {

using DigestService = v1::DigestService::StubInterface;

struct DigestClient::Stub {
  std::unique_ptr<DigestService> service;
};

DigestClient::DigestClient(Connection& connection)
    : connection_(connection), stub_(new Stub{v1::DigestService::NewStub(connection.channel())}) {}

DigestClient::~DigestClient() = default;

absl::StatusOr<v1::Digest> DigestClient::Create(v1::CreateDigestRequest request) {
  if (request.request_id().empty()) request.set_request_id(connection_.NewRequestId());
  return Call(connection_, *stub_->service, &DigestService::CreateDigest, request, Repeat::kSafe);
}

absl::StatusOr<v1::Edition> DigestClient::Publish(v1::PublishDigestRequest request) {
  if (request.request_id().empty()) request.set_request_id(connection_.NewRequestId());
  return Call(connection_, *stub_->service, &DigestService::PublishDigest, request, Repeat::kSafe);
}

absl::StatusOr<v1::Entry> DigestClient::CreateEntry(v1::CreateEntryRequest request) {
  if (request.request_id().empty()) request.set_request_id(connection_.NewRequestId());
  return Call(connection_, *stub_->service, &DigestService::CreateEntry, request, Repeat::kSafe);
}

absl::StatusOr<v1::Digest> DigestClient::Get(const std::string& name, v1::DigestView view) {
  v1::GetDigestRequest request;
  request.set_name(name);
  request.set_view(view);
  return Call(connection_, *stub_->service, &DigestService::GetDigest, request, Repeat::kSafe);
}

absl::StatusOr<v1::Edition> DigestClient::GetEdition(const std::string& name) {
  v1::GetEditionRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &DigestService::GetEdition, request, Repeat::kSafe);
}

absl::StatusOr<v1::Entry> DigestClient::GetEntry(const std::string& name) {
  v1::GetEntryRequest request;
  request.set_name(name);
  return Call(connection_, *stub_->service, &DigestService::GetEntry, request, Repeat::kSafe);
}

absl::StatusOr<v1::Entry> DigestClient::UpdateEntry(const v1::UpdateEntryRequest& request) {
  return Call(connection_, *stub_->service, &DigestService::UpdateEntry, request, Repeat::kUnsafe);
}

absl::Status DigestClient::DeleteEntry(const std::string& name, const std::string& etag) {
  v1::DeleteEntryRequest request;
  request.set_name(name);
  request.set_etag(etag);
  return Call(connection_, *stub_->service, &DigestService::DeleteEntry, request, Repeat::kUnsafe).status();
}

absl::Status DigestClient::List(const std::function<bool(const v1::Digest&)>& take) {
  v1::ListDigestsRequest request;
  return ForEachPage<v1::ListDigestsResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &DigestService::ListDigests, request, Repeat::kSafe);
      },
      [&](const v1::ListDigestsResponse& page) { return TakeAll(page.digests(), take); });
}

absl::Status DigestClient::ListEditions(const std::string& digest,
                                        const std::function<bool(const v1::Edition&)>& take) {
  v1::ListEditionsRequest request;
  request.set_parent(digest);
  return ForEachPage<v1::ListEditionsResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &DigestService::ListEditions, request, Repeat::kSafe);
      },
      [&](const v1::ListEditionsResponse& page) { return TakeAll(page.editions(), take); });
}

absl::Status DigestClient::ListEntries(const std::string& digest, const std::function<bool(const v1::Entry&)>& take) {
  v1::ListEntriesRequest request;
  request.set_parent(digest);
  return ForEachPage<v1::ListEntriesResponse>(
      [&](const std::string& token) {
        request.set_page_token(token);
        return Call(connection_, *stub_->service, &DigestService::ListEntries, request, Repeat::kSafe);
      },
      [&](const v1::ListEntriesResponse& page) { return TakeAll(page.entries(), take); });
}

}  // namespace benchwire::client
