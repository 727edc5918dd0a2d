#include "server/base/job_kind.h"

#include "server/base/canonical_json.h"
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
  return CanonicalJson(job.GetReflection()->GetMessage(job, field));
}

void CopySpec(const v1::Job& from, v1::Job& to) {
  const auto* field = SpecField(from);
  if (field == nullptr) return;
  to.GetReflection()->MutableMessage(&to, field)->CopyFrom(from.GetReflection()->GetMessage(from, field));
}

}  // namespace benchwire
