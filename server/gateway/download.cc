#include "server/gateway/download.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "server/gateway/json.h"
#include "server/gateway/url.h"

namespace benchwire::gateway {
namespace {

constexpr char kReadArtifact[] = "/benchwire.v1.JobService/ReadArtifact";
constexpr int32_t kPiece = 1 << 20;

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

HttpResponse DownloadHead(const v1::Artifact& artifact) {
  HttpResponse response;
  response.headers = {{"Content-Type", artifact.media_type()},
                      {"Content-Disposition", ContentDisposition(artifact.path())},
                      {"Content-Security-Policy", "sandbox; default-src 'none'"},
                      {"Cache-Control", "no-store"}};
  return response;
}

class Download : public std::enable_shared_from_this<Download> {
 public:
  Download(RpcClient& rpc, bool head_only, v1::ReadArtifactRequest request, CallOptions options,
           std::shared_ptr<Responder> responder)
      : rpc_(rpc),
        head_only_(head_only),
        request_(std::move(request)),
        options_(std::move(options)),
        responder_(std::move(responder)) {
    request_.set_offset(0);
    request_.set_max_bytes(head_only ? 1 : kPiece);
  }

  void Ask() {
    rpc_.Call(kReadArtifact, request_, options_, [self = shared_from_this()](const absl::StatusOr<std::string>& bytes) {
      v1::ArtifactData data;
      if (!bytes.ok()) {
        self->Fail(bytes.status());
      } else if (!data.ParseFromString(*bytes)) {
        self->Fail(MakeError(absl::StatusCode::kInternal, "NOT_READABLE", "the answer of a service cannot be read"));
      } else {
        self->Give(std::move(data));
      }
    });
  }

 private:
  void Fail(const absl::Status& status) {
    if (writer_ == nullptr) {
      responder_->Send(ErrorResponse(status));
    } else {
      spdlog::warn("download broken off artifact={} offset={} message=\"{}\"", request_.name(), request_.offset(),
                   std::string(status.message()));
      writer_->Close();
    }
  }

  void Give(v1::ArtifactData data) {
    if (writer_ == nullptr) {
      HttpResponse head = DownloadHead(data.artifact());
      if (head_only_) return responder_->Send(std::move(head));
      if (data.end()) {
        head.body = std::make_shared<const std::string>(std::move(*data.mutable_data()));
        return responder_->Send(std::move(head));
      }
      StreamOptions stream;
      stream.length = data.artifact().size_bytes();
      writer_ = responder_->StartStream(std::move(head), std::move(stream));
    }
    if (data.data().empty()) {
      return Fail(MakeError(absl::StatusCode::kDataLoss, "CONTENT_LOST", "fewer bytes than there were"));
    }
    request_.set_offset(data.next_offset());
    writer_->Write(std::move(*data.mutable_data()), [self = shared_from_this(), end = data.end()](bool sent) {
      if (!sent) return;
      if (end) {
        self->writer_->Close();
      } else {
        self->Ask();
      }
    });
  }

  RpcClient& rpc_;
  const bool head_only_;
  v1::ReadArtifactRequest request_;
  const CallOptions options_;
  const std::shared_ptr<Responder> responder_;
  std::shared_ptr<StreamWriter> writer_;
};

}  // namespace

std::string ContentDisposition(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string plain = name;
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !IsPlain(c); }, '_');
  std::string out = "attachment; filename=\"" + plain + "\"";
  if (plain != name) out += "; filename*=UTF-8''" + PercentEncode(name);
  return out;
}

void StartDownload(RpcClient& rpc, bool head_only, const v1::ReadArtifactRequest& request, const CallOptions& options,
                   std::shared_ptr<Responder> responder) {
  std::make_shared<Download>(rpc, head_only, request, options, std::move(responder))->Ask();
}

}  // namespace benchwire::gateway
