#include "server/rpc/digest_service.h"

namespace benchwire::rpc {
namespace {

bool MaySeeDrafts(const Principal& caller) { return caller.roles.contains(Role::kEditor); }

}  // namespace

grpc::Status DigestServiceImpl::CreateDigest(grpc::ServerContext* context, const v1::CreateDigestRequest* request,
                                             v1::Digest* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/CreateDigest", *response,
               [&](const Principal&) { return digests_.Create(*request); });
}

grpc::Status DigestServiceImpl::GetDigest(grpc::ServerContext* context, const v1::GetDigestRequest* request,
                                          v1::Digest* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/GetDigest", *response,
               [&](const Principal& caller) { return digests_.Get(*request, MaySeeDrafts(caller)); });
}

grpc::Status DigestServiceImpl::ListDigests(grpc::ServerContext* context, const v1::ListDigestsRequest* request,
                                            v1::ListDigestsResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/ListDigests", *response,
               [&](const Principal& caller) { return digests_.List(*request, MaySeeDrafts(caller)); });
}

grpc::Status DigestServiceImpl::PublishDigest(grpc::ServerContext* context, const v1::PublishDigestRequest* request,
                                              v1::Edition* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/PublishDigest", *response,
               [&](const Principal&) { return digests_.Publish(*request); });
}

grpc::Status DigestServiceImpl::GetEdition(grpc::ServerContext* context, const v1::GetEditionRequest* request,
                                           v1::Edition* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/GetEdition", *response,
               [&](const Principal&) { return digests_.GetEdition(*request); });
}

grpc::Status DigestServiceImpl::ListEditions(grpc::ServerContext* context, const v1::ListEditionsRequest* request,
                                             v1::ListEditionsResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/ListEditions", *response,
               [&](const Principal&) { return digests_.ListEditions(*request); });
}

grpc::Status DigestServiceImpl::CreateEntry(grpc::ServerContext* context, const v1::CreateEntryRequest* request,
                                            v1::Entry* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/CreateEntry", *response,
               [&](const Principal&) { return digests_.CreateEntry(*request); });
}

grpc::Status DigestServiceImpl::GetEntry(grpc::ServerContext* context, const v1::GetEntryRequest* request,
                                         v1::Entry* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/GetEntry", *response,
               [&](const Principal&) { return digests_.GetEntry(*request); });
}

grpc::Status DigestServiceImpl::ListEntries(grpc::ServerContext* context, const v1::ListEntriesRequest* request,
                                            v1::ListEntriesResponse* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/ListEntries", *response,
               [&](const Principal&) { return digests_.ListEntries(*request); });
}

grpc::Status DigestServiceImpl::UpdateEntry(grpc::ServerContext* context, const v1::UpdateEntryRequest* request,
                                            v1::Entry* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/UpdateEntry", *response,
               [&](const Principal&) { return digests_.UpdateEntry(*request); });
}

grpc::Status DigestServiceImpl::DeleteEntry(grpc::ServerContext* context, const v1::DeleteEntryRequest* request,
                                            google::protobuf::Empty* response) {
  return Unary(environment_, *context, "/benchwire.v1.DigestService/DeleteEntry", *response,
               [&](const Principal&) { return digests_.DeleteEntry(*request); });
}

}  // namespace benchwire::rpc
