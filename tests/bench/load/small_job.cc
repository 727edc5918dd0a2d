#include "tests/bench/load/small_job.h"

#include <google/protobuf/util/json_util.h>

#include "server/base/random.h"

namespace benchwire::bench {

v1::CreateJobRequest SmallJob() {
  SystemRandom random;
  v1::CreateJobRequest request;
  request.set_request_id(RandomId(random));
  request.set_allow_unsatisfiable(true);
  v1::P2pSpec& spec = *request.mutable_job()->mutable_p2p();
  spec.set_backend(v1::P2P_BACKEND_HOST);
  spec.add_cases("bw.unidir.write");
  spec.add_sizes_bytes(1 << 20);
  return request;
}

absl::StatusOr<JobRow> RowOf(v1::Job job) {
  JobRow row;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(job.p2p(), &row.spec, options).ok()) {
    return absl::InternalError("a spec has no JSON form");
  }
  job.clear_etag();
  row.resource = job.SerializeAsString();
  return row;
}

}  // namespace benchwire::bench
