#include "server/base/job_kind.h"

#include <google/protobuf/util/json_util.h>

#include "server/base/status.h"

namespace benchwire {
namespace {

const google::protobuf::FieldDescriptor* SpecField(const v1::Job& job) {
  return job.GetReflection()->GetOneofFieldDescriptor(job, v1::Job::descriptor()->FindOneofByName("spec"));
}

}  // namespace

std::string KindOf(const v1::Job& job) {
  const auto* field = SpecField(job);
  return field == nullptr ? "" : field->name();
}

absl::StatusOr<std::string> SpecJson(const v1::Job& job) {
  const auto* field = SpecField(job);
  if (field == nullptr) return BadField("job.spec", "none", "exactly one spec, such as p2p");
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(job.GetReflection()->GetMessage(job, field), &json, options);
  if (!status.ok())
    return BadField("job.spec", KindOf(job), "a spec that JSON can hold: " + std::string(status.message()));
  return json;
}

}  // namespace benchwire
