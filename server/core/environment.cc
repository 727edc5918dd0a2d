#include "server/core/environment.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "server/base/resource_name.h"
#include "server/base/sha256.h"
#include "server/base/status.h"

namespace benchwire::core {

absl::Status AppendEvent(storage::Transaction& tx, v1::EventType type, const std::string& resource,
                         const std::string& state, WallTime now) {
  v1::Event event;
  *event.mutable_time() = ToProto(now);
  event.set_type(type);
  event.set_resource(resource);
  event.set_state(state);
  return tx.events().Append(event);
}

absl::Status SaveJob(storage::Transaction& tx, storage::JobRecord& record, WallTime now) {
  RETURN_IF_ERROR(tx.jobs().Update(record));
  return AppendEvent(tx, v1::EVENT_TYPE_UPDATED, JobName(record.id), v1::JobState_Name(record.job.state()), now);
}

absl::Status CheckEtag(const std::string& field, const std::string& etag, int64_t revision) {
  if (etag.empty() || etag == EtagOf(revision)) return absl::OkStatus();
  return MakeError(absl::StatusCode::kAborted, "ETAG_MISMATCH",
                   field + " is '" + etag + "', the resource's is '" + EtagOf(revision) +
                       "': it was changed since it was read; read it again",
                   {{"field", field}, {"etag", EtagOf(revision)}});
}

std::string EtagOf(int64_t revision) { return "r" + std::to_string(revision); }

std::string RequestSha256(const google::protobuf::Message& request) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  request.SerializeToCodedStream(&coded);
  coded.Trim();
  return Sha256Hex(out);
}

absl::StatusOr<std::optional<std::string>> FindRequest(const storage::RequestStore& requests, const std::string& method,
                                                       const std::string& request_id, const std::string& sha256) {
  if (request_id.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const auto found, requests.Find(method, request_id));
  if (!found) return std::nullopt;
  if (found->payload_sha256 != sha256) {
    return MakeError(absl::StatusCode::kAlreadyExists, "REQUEST_ID_REUSED",
                     "request_id '" + request_id + "' was used with another payload; it made " + found->resource,
                     {{"resource", found->resource}});
  }
  return found->resource;
}

absl::Status RememberRequest(storage::RequestStore& requests, const std::string& method, const std::string& request_id,
                             const std::string& sha256, const std::string& resource) {
  if (request_id.empty()) return absl::OkStatus();
  return requests.Insert(method, request_id, {sha256, resource});
}

}  // namespace benchwire::core
