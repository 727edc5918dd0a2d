// What a submitted job must look like, and the defaults it gets. Pure but for the seed that is drawn.
#ifndef BENCHWIRE_SERVER_CORE_JOB_SPEC_H_
#define BENCHWIRE_SERVER_CORE_JOB_SPEC_H_

#include <benchwire/v1/job.pb.h>

#include "absl/status/status.h"
#include "server/base/random.h"

namespace benchwire::core {

// Checks what the caller set, refuses output-only fields, and fills in every default: what is stored is what will run.
absl::Status ResolveJob(v1::Job& job, RandomSource& random);

// True where a result is of the job's kind.
bool ResultFits(const v1::Job& job, const v1::RunnerResult& result);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_JOB_SPEC_H_
