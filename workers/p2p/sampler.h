// Takes the samples of one point: warm-up, choice of the repeats that fill the least sample time, then the samples,
// each checked. One thread.
#ifndef BENCHWIRE_WORKERS_P2P_SAMPLER_H_
#define BENCHWIRE_WORKERS_P2P_SAMPLER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/spec.h"

namespace benchwire::p2p {

struct RowSeries {
  kit::Labels labels;
  std::vector<double> values;  // Accepted samples in the order taken.
  std::int64_t verified_bytes = 0;
  std::int64_t mismatched_bytes = 0;
};

struct Series {
  std::vector<RowSeries> rows;
  std::int64_t repeats = 1;
  std::int64_t rejected = 0;
  std::string rejected_because;           // Of the last one rejected.
  std::optional<std::int64_t> first_bad;  // Offset of the first byte that differed in the first bad sample.
  std::optional<double> least_overlap;
  std::optional<Refusal> ended;  // Why the samples are not complete.

  std::int64_t mismatched_bytes() const;
};

// Called after every sample with its index from 0 and whether it was accepted. False: the run cannot go on.
using OnSample = std::function<bool(const Series& series, std::int64_t index, bool accepted)>;

// Never fails: what was measured before an error, deadline or cancellation is kept, `ended` says what happened.
Series TakeSamples(Point& point, const Spec& spec, const StopCheck& stop, const OnSample& on_sample);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_SAMPLER_H_
