#include "clients/cli/job_file.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "clients/cli/json.h"
#include "server/base/job_kind.h"
#include "server/base/sha256.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

const google::protobuf::OneofDescriptor& SpecOneof() { return *v1::Job::descriptor()->FindOneofByName("spec"); }

}  // namespace

absl::StatusOr<v1::Job> ParseJobFile(const std::string& from, const std::string& text) {
  const std::string json = Normalised(text);
  v1::Job job;
  RETURN_IF_ERROR(FromJson(from, json, UnknownFields::kIgnore, job));
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  for (int i = 0; i < SpecOneof().field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *SpecOneof().field(i);
    if (!document.is_object() || !document.contains(field.json_name())) continue;
    const std::unique_ptr<google::protobuf::Message> strict(job.GetReflection()->GetMessage(job, &field).New());
    RETURN_IF_ERROR(
        FromJson(from + ": " + field.json_name(), document[field.json_name()].dump(), UnknownFields::kRefuse, *strict));
  }
  return job;
}

absl::StatusOr<RunnerInput> InputOf(const v1::Job& job) {
  if (KindOf(job).empty()) {
    return absl::InvalidArgumentError(
        "the job has no spec of a kind this program knows; expected one of: p2p, command");
  }
  if (!job.has_seed()) return absl::InvalidArgumentError("the job has no seed; add one, such as \"seed\": \"1\"");
  if (job.seed() < 0) return BadField("seed", std::to_string(job.seed()), "0 to 2^63-1");
  RunnerInput out;
  out.kind = KindOf(job);
  ASSIGN_OR_RETURN(out.spec_json, SpecJson(job));
  out.seed = job.seed();
  out.digest_matches = job.spec_digest().empty() || job.spec_digest() == Sha256Hex(out.spec_json);
  return out;
}

}  // namespace benchwire::cli
