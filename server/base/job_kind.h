// A job's benchmark kind and the bytes of its spec: the same for server and clients, so that a spec has one digest.
// Pure.
#ifndef BENCHWIRE_SERVER_BASE_JOB_KIND_H_
#define BENCHWIRE_SERVER_BASE_JOB_KIND_H_

#include <benchwire/v1/job.pb.h>

#include <string>

#include "absl/status/statusor.h"

namespace benchwire {

// The benchmark kind of the spec that is set, such as `p2p`: the name of its field in Job. Empty where none is set.
std::string KindOf(const v1::Job& job);

// The spec as a runner reads it and as the spec digest covers it: its CanonicalJson. INVALID_ARGUMENT: the job has no
// spec.
absl::StatusOr<std::string> SpecJson(const v1::Job& job);

// Sets the spec of `to` to that of `from`, of whatever kind. `from` has one.
void CopySpec(const v1::Job& from, v1::Job& to);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_JOB_KIND_H_
