// What a run will do, decided before anything is measured: which cases of the spec exist, on which pairs and in which
// order. Pure: same spec, endpoints and seed, same plan.
#ifndef BENCHWIRE_WORKERS_P2P_PLAN_H_
#define BENCHWIRE_WORKERS_P2P_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/spec.h"

namespace benchwire::p2p {

// One case on one pair in one variant, for all sizes: what a pair deadline covers.
struct Block {
  Case test;
  Pair pair;
  std::string variant;
  std::vector<std::int64_t> sizes;  // {0} where the case is not sized.
};

// A case that runs nowhere, and why.
struct WaivedCase {
  Case test;
  Refusal refusal;
};

struct Plan {
  std::vector<Block> blocks;
  std::vector<WaivedCase> waived;
};

// Cases in the backend's order; within a case the pairs in a random order drawn from `seed`, so that drift of the
// machine does not look like a difference between pairs; sizes as in the spec. `elsewhere`: the cases of other
// backends; asked for, they are waived. BAD_SPEC for a pattern that no case of any backend matches and for a pair that
// names no endpoint.
kit::Result<Plan> MakePlan(const Spec& spec, const Backend& backend, const std::vector<Case>& elsewhere,
                           std::uint64_t seed);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_PLAN_H_
