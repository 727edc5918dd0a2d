// DigestService over core::Digests.
#ifndef BENCHWIRE_SERVER_RPC_DIGEST_SERVICE_H_
#define BENCHWIRE_SERVER_RPC_DIGEST_SERVICE_H_

#include <benchwire/v1/digest_service.grpc.pb.h>

#include "server/core/digests.h"
#include "server/rpc/call.h"

namespace benchwire::rpc {

class DigestServiceImpl final : public v1::DigestService::Service {
 public:
  DigestServiceImpl(CallEnvironment& environment, core::Digests& digests)
      : environment_(environment), digests_(digests) {}

  grpc::Status CreateDigest(grpc::ServerContext* context, const v1::CreateDigestRequest* request,
                            v1::Digest* response) override;
  grpc::Status GetDigest(grpc::ServerContext* context, const v1::GetDigestRequest* request,
                         v1::Digest* response) override;
  grpc::Status ListDigests(grpc::ServerContext* context, const v1::ListDigestsRequest* request,
                           v1::ListDigestsResponse* response) override;
  grpc::Status PublishDigest(grpc::ServerContext* context, const v1::PublishDigestRequest* request,
                             v1::Edition* response) override;
  grpc::Status GetEdition(grpc::ServerContext* context, const v1::GetEditionRequest* request,
                          v1::Edition* response) override;
  grpc::Status ListEditions(grpc::ServerContext* context, const v1::ListEditionsRequest* request,
                            v1::ListEditionsResponse* response) override;
  grpc::Status CreateEntry(grpc::ServerContext* context, const v1::CreateEntryRequest* request,
                           v1::Entry* response) override;
  grpc::Status GetEntry(grpc::ServerContext* context, const v1::GetEntryRequest* request, v1::Entry* response) override;
  grpc::Status ListEntries(grpc::ServerContext* context, const v1::ListEntriesRequest* request,
                           v1::ListEntriesResponse* response) override;
  grpc::Status UpdateEntry(grpc::ServerContext* context, const v1::UpdateEntryRequest* request,
                           v1::Entry* response) override;
  grpc::Status DeleteEntry(grpc::ServerContext* context, const v1::DeleteEntryRequest* request,
                           google::protobuf::Empty* response) override;

 private:
  CallEnvironment& environment_;
  core::Digests& digests_;
};

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_DIGEST_SERVICE_H_
