// Testing a claim: from the measurements of its job to a verdict, as a pure function. A verdict is computed, never
// typed in.
#ifndef BENCHWIRE_SERVER_CORE_CLAIM_VERDICT_H_
#define BENCHWIRE_SERVER_CORE_CLAIM_VERDICT_H_

#include <benchwire/v1/digest.pb.h>
#include <benchwire/v1/job.pb.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace benchwire::core {

// What a claim's selector finds.
struct Evidence {
  std::optional<v1::Job> job;
  std::optional<v1::Attempt> attempt;  // Its succeeded one.
  std::vector<v1::Measurement> measurements;
};

// The verdict: SUPPORTED where the whole interval meets the condition, REFUTED where none of it does, else
// INCONCLUSIVE; UNTESTED where there is no usable measurement. Intervals are those of workers/kit/statistics.h.
v1::ClaimEvaluation Evaluate(const v1::Claim& claim, const Evidence& evidence);

// Checks what the author wrote and fills in defaults. INVALID_ARGUMENT; `field` is the path of the claim.
absl::Status ResolveClaim(const std::string& field, v1::Claim& claim);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_CLAIM_VERDICT_H_
