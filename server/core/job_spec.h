// What a submitted job must look like, and the defaults it gets. Pure but for the seed that is drawn.
#ifndef BENCHWIRE_SERVER_CORE_JOB_SPEC_H_
#define BENCHWIRE_SERVER_CORE_JOB_SPEC_H_

#include <benchwire/v1/job.pb.h>

#include <string>

#include "absl/status/statusor.h"
#include "server/base/random.h"

namespace benchwire::core {

// The benchmark kind of the spec that is set, such as `p2p`. Empty where none is.
std::string KindOf(const v1::Job& job);

// Checks what the caller set, refuses output-only fields, and fills in every default: what is stored is what will run.
absl::Status ResolveJob(v1::Job& job, RandomSource& random);

// The spec as a runner reads it: JSON with original field names and enum names, keys in the order of the proto file.
absl::StatusOr<std::string> SpecJson(const v1::Job& job);

// True where a result is of the job's kind.
bool ResultFits(const v1::Job& job, const v1::RunnerResult& result);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_JOB_SPEC_H_
