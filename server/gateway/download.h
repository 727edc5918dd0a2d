// An artifact as a file download. Its bytes are a stranger's: the answer is an attachment that no browser opens in
// place or gives rights of this origin to. They are read and sent piece by piece, one piece in memory.
#ifndef BENCHWIRE_SERVER_GATEWAY_DOWNLOAD_H_
#define BENCHWIRE_SERVER_GATEWAY_DOWNLOAD_H_

#include <benchwire/v1/job_service.pb.h>

#include <memory>
#include <string>

#include "server/gateway/http_types.h"
#include "server/gateway/rpc_client.h"

namespace benchwire::gateway {

// Answers GET and HEAD; keeps itself alive. `rpc` outlives it. An error before the first byte is an ordinary HTTP
// error; after it the connection is closed before the length that was announced.
void StartDownload(RpcClient& rpc, bool head_only, const v1::ReadArtifactRequest& request, const CallOptions& options,
                   std::shared_ptr<Responder> responder);

// `attachment` with the last segment of the path as file name, for old readers in ASCII (RFC 6266).
std::string ContentDisposition(const std::string& path);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_DOWNLOAD_H_
