#include "server/core/job_spec.h"

#include <set>

#include "server/base/clock.h"
#include "server/base/job_kind.h"
#include "server/base/status.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int64_t kLeastCopy = 4096;
constexpr int64_t kLargestCopy = int64_t{1} << 40;
constexpr int64_t kDefaultCopy = int64_t{64} << 20;
constexpr int kMaxCases = 64;
constexpr int kMaxSizes = 32;
constexpr int kMaxPairs = 4096;
constexpr int kMaxParameters = 64;
constexpr size_t kMaxParameterBytes = size_t{64} << 10;
constexpr size_t kMaxParametersBytes = size_t{256} << 10;
constexpr size_t kMaxBackendBytes = 64;

absl::Status ResolveP2pLists(v1::P2pSpec& spec) {
  if (spec.cases_size() > kMaxCases) {
    return BadField("job.p2p.cases", std::to_string(spec.cases_size()) + " cases", "at most 64");
  }
  for (const std::string& id : spec.cases()) {
    if (id.empty() || id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._*?-") != std::string::npos) {
      return BadField("job.p2p.cases", id, "a case id or glob such as bw.unidir.write or bw.*");
    }
  }
  if (spec.cases().empty()) *spec.add_cases() = '*';
  if (spec.sizes_bytes_size() > kMaxSizes) {
    return BadField("job.p2p.sizes_bytes", std::to_string(spec.sizes_bytes_size()) + " sizes", "at most 32");
  }
  std::set<int64_t> seen;
  for (int64_t size : spec.sizes_bytes()) {
    RETURN_IF_ERROR(CheckRange("job.p2p.sizes_bytes", size, kLeastCopy, kLargestCopy));
    if (!seen.insert(size).second) return BadField("job.p2p.sizes_bytes", std::to_string(size), "each size once");
  }
  if (spec.sizes_bytes().empty()) spec.add_sizes_bytes(kDefaultCopy);
  if (spec.pairs_size() > kMaxPairs) {
    return BadField("job.p2p.pairs", std::to_string(spec.pairs_size()) + " pairs", "at most 4096");
  }
  for (const v1::P2pPair& pair : spec.pairs()) {
    for (const std::string& id : {pair.src(), pair.dst()}) {
      RETURN_IF_ERROR(CheckLine("job.p2p.pairs", id, 64));
      if (id.empty()) return BadField("job.p2p.pairs", id, "two endpoint ids such as gpu:0, numa:0 or core:3");
    }
  }
  return absl::OkStatus();
}

absl::Status ResolveP2p(v1::P2pSpec& spec) {
  if (!v1::P2pBackend_IsValid(spec.backend())) {
    return BadField("job.p2p.backend", std::to_string(spec.backend()), "AUTO, CUDA or HOST");
  }
  if (spec.backend() == v1::P2P_BACKEND_UNSPECIFIED) spec.set_backend(v1::P2P_BACKEND_AUTO);
  RETURN_IF_ERROR(ResolveP2pLists(spec));
  if (spec.samples() == 0) spec.set_samples(20);
  RETURN_IF_ERROR(CheckRange("job.p2p.samples", spec.samples(), 1, 10'000));
  if (!spec.has_warmup()) spec.set_warmup(4);
  RETURN_IF_ERROR(CheckRange("job.p2p.warmup", spec.warmup(), 0, 1'000));
  if (!spec.has_min_sample_time()) *spec.mutable_min_sample_time() = ToProto(nanoseconds(milliseconds(20)));
  RETURN_IF_ERROR(CheckDuration("job.p2p.min_sample_time", spec.min_sample_time(), seconds(0), seconds(60)));
  if (!v1::P2pVerification_IsValid(spec.verification())) {
    return BadField("job.p2p.verification", std::to_string(spec.verification()), "FULL or NONE");
  }
  if (spec.verification() == v1::P2P_VERIFICATION_UNSPECIFIED) spec.set_verification(v1::P2P_VERIFICATION_FULL);
  if (!spec.has_pair_deadline()) *spec.mutable_pair_deadline() = ToProto(nanoseconds(seconds(60)));
  return CheckDuration("job.p2p.pair_deadline", spec.pair_deadline(), seconds(1), hours(1));
}

absl::Status CheckDevices(const v1::Requirements& needs) {
  RETURN_IF_ERROR(CheckRange("job.requirements.device_memory_bytes", needs.device_memory_bytes(), 0, int64_t{1} << 50));
  RETURN_IF_ERROR(CheckLine("job.requirements.device_model", needs.device_model(), 128));
  if (!v1::LinkClass_IsValid(needs.link_class())) {
    return BadField("job.requirements.link_class", std::to_string(needs.link_class()),
                    "NVLINK, SAME_SWITCH, SAME_SOCKET, CROSS_SOCKET or none");
  }
  if (needs.link_class() != v1::LINK_CLASS_UNSPECIFIED && needs.device_count() < 2) {
    return BadField("job.requirements.link_class", v1::LinkClass_Name(needs.link_class()),
                    "none, where device_count is less than 2");
  }
  const bool of_devices = needs.device_memory_bytes() > 0 || !needs.device_model().empty();
  if (of_devices && needs.device_kind() == v1::DEVICE_KIND_UNSPECIFIED) {
    return BadField("job.requirements.device_kind", "none", "a kind, where device_memory_bytes or device_model is set");
  }
  return absl::OkStatus();
}

void P2pNeeds(const v1::P2pSpec& spec, v1::Requirements& needs) {
  if (needs.exclusivity() == v1::EXCLUSIVITY_UNSPECIFIED) needs.set_exclusivity(v1::EXCLUSIVITY_HOST);
  if (needs.device_kind() != v1::DEVICE_KIND_UNSPECIFIED || spec.backend() == v1::P2P_BACKEND_HOST) return;
  needs.set_device_kind(v1::DEVICE_KIND_GPU);
  if (spec.backend() == v1::P2P_BACKEND_CUDA && needs.device_count() == 0) needs.set_device_count(1);
}

bool IsParameterName(const std::string& name) {
  return !name.empty() && name.size() <= 63 && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// What the parameters mean is known to the worker alone.
absl::Status ResolveCommand(const v1::CommandSpec& spec) {
  RETURN_IF_ERROR(CheckSlug("job.command.command", spec.command()));
  if (spec.parameters_size() > kMaxParameters) {
    return BadField("job.command.parameters", std::to_string(spec.parameters_size()) + " parameters", "at most 64");
  }
  size_t bytes = 0;
  for (const auto& [name, value] : spec.parameters()) {
    if (!IsParameterName(name)) return BadField("job.command.parameters", name, "names of [a-z][a-z0-9_]{0,62}");
    RETURN_IF_ERROR(CheckText("job.command.parameters." + name, value, kMaxParameterBytes));
    bytes += value.size();
  }
  if (bytes <= kMaxParametersBytes) return absl::OkStatus();
  return BadField("job.command.parameters", std::to_string(bytes) + " bytes of values", "at most 262144 together");
}

absl::Status CommandNeeds(const v1::CommandSpec& spec, v1::Requirements& needs) {
  if (needs.exclusivity() == v1::EXCLUSIVITY_UNSPECIFIED) needs.set_exclusivity(v1::EXCLUSIVITY_NONE);
  if (needs.backend().empty()) needs.set_backend(spec.command());
  if (needs.backend() == spec.command()) return absl::OkStatus();
  return BadField("job.requirements.backend", needs.backend(), "nothing, or the command's name, " + spec.command());
}

// Checks the spec and fills in its defaults, and those of its kind in the requirements.
absl::Status ResolveSpec(v1::Job& job) {
  switch (job.spec_case()) {
    case v1::Job::kP2P:
      RETURN_IF_ERROR(ResolveP2p(*job.mutable_p2p()));
      P2pNeeds(job.p2p(), *job.mutable_requirements());
      return absl::OkStatus();
    case v1::Job::kCommand:
      RETURN_IF_ERROR(ResolveCommand(job.command()));
      return CommandNeeds(job.command(), *job.mutable_requirements());
    case v1::Job::SPEC_NOT_SET:
      break;
  }
  return BadField("job.spec", "none", "exactly one spec, such as p2p");
}

absl::Status ResolveRequirements(v1::Requirements& needs) {
  if (!v1::DeviceKind_IsValid(needs.device_kind())) {
    return BadField("job.requirements.device_kind", std::to_string(needs.device_kind()), "GPU or none");
  }
  if (!v1::Exclusivity_IsValid(needs.exclusivity())) {
    return BadField("job.requirements.exclusivity", std::to_string(needs.exclusivity()), "NONE, DEVICE or HOST");
  }
  RETURN_IF_ERROR(CheckRange("job.requirements.device_count", needs.device_count(), 0, 64));
  if (needs.device_count() > 0 && needs.device_kind() == v1::DEVICE_KIND_UNSPECIFIED) {
    return BadField("job.requirements.device_kind", "none", "a kind, where device_count is not 0");
  }
  if (needs.cpus() == 0) needs.set_cpus(1);
  RETURN_IF_ERROR(CheckRange("job.requirements.cpus", needs.cpus(), 1, 4096));
  RETURN_IF_ERROR(CheckRange("job.requirements.memory_bytes", needs.memory_bytes(), 0, int64_t{1} << 50));
  RETURN_IF_ERROR(CheckDevices(needs));
  RETURN_IF_ERROR(CheckLine("job.requirements.backend", needs.backend(), kMaxBackendBytes));
  return CheckLabels("job.requirements.worker_labels", needs.worker_labels());
}

absl::Status RefuseOutputFields(const v1::Job& job) {
  static constexpr int kOutputFields[] = {v1::Job::kNameFieldNumber,           v1::Job::kStateFieldNumber,
                                          v1::Job::kReasonFieldNumber,         v1::Job::kSpecDigestFieldNumber,
                                          v1::Job::kSubmitterFieldNumber,      v1::Job::kCreateTimeFieldNumber,
                                          v1::Job::kStartTimeFieldNumber,      v1::Job::kEndTimeFieldNumber,
                                          v1::Job::kFailedAttemptsFieldNumber, v1::Job::kLostAttemptsFieldNumber,
                                          v1::Job::kRetryOfFieldNumber,        v1::Job::kCancelRequestedFieldNumber,
                                          v1::Job::kProgressFieldNumber,       v1::Job::kAttemptsFieldNumber,
                                          v1::Job::kEtagFieldNumber,           v1::Job::kEarliestStartTimeFieldNumber};
  const auto* reflection = job.GetReflection();
  for (int number : kOutputFields) {
    const auto* field = job.GetDescriptor()->FindFieldByNumber(number);
    const bool set = field->is_repeated() ? reflection->FieldSize(job, field) > 0 : reflection->HasField(job, field);
    if (set) return BadField("job." + field->name(), "set", "nothing: the server sets it");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ResolveJob(v1::Job& job, RandomSource& random) {
  RETURN_IF_ERROR(RefuseOutputFields(job));
  RETURN_IF_ERROR(CheckLine("job.display_name", job.display_name(), 256));
  RETURN_IF_ERROR(CheckLabels("job.labels", job.labels()));
  RETURN_IF_ERROR(ResolveSpec(job));
  RETURN_IF_ERROR(ResolveRequirements(*job.mutable_requirements()));
  if (!job.has_seed()) job.set_seed(RandomSeed(random));
  RETURN_IF_ERROR(CheckRange("job.seed", job.seed(), 0, INT64_MAX));
  if (!job.has_priority()) job.set_priority(50);
  RETURN_IF_ERROR(CheckRange("job.priority", job.priority(), 0, 100));
  if (!job.has_timeout()) *job.mutable_timeout() = ToProto(nanoseconds(hours(1)));
  RETURN_IF_ERROR(CheckDuration("job.timeout", job.timeout(), seconds(1), hours(24 * 30)));
  if (job.has_queue_ttl()) RETURN_IF_ERROR(CheckDuration("job.queue_ttl", job.queue_ttl(), seconds(1), hours(24 * 30)));
  if (job.max_attempts() == 0) job.set_max_attempts(3);
  return CheckRange("job.max_attempts", job.max_attempts(), 1, 10);
}

bool ResultFits(const v1::Job& job, const v1::RunnerResult& result) {
  const auto* field = result.GetReflection()->GetOneofFieldDescriptor(
      result, v1::RunnerResult::descriptor()->FindOneofByName("result"));
  return field != nullptr && field->name() == KindOf(job);
}

}  // namespace benchwire::core
